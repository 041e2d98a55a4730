// The part of the contract that clients load. It has no schemas and imports no package, so that it is small in a browser.

export {
  inboxKinds,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
} from '../sessions/event-kinds.ts';
export { type BundledKind, ownInbox, readBundledStream } from '../sessions/stream-names.ts';
export { actClasses, approvalAnswers, policyModes } from '../tasks/act-classes.ts';
export { canMove, isTerminal, sessionMoves, takeoverMoves, taskMoves } from '../tasks/moves.ts';
export { errors } from '../types/error-codes.ts';
export { isId } from '../types/is-id.ts';
export { secretName } from '../types/secret-name.ts';
export { taskLimits } from '../types/sizes.ts';
export { wireRoutes } from './routes.generated.ts';
export type { StreamKind, WireRoute } from './wire-route.ts';
