// What an act may do, and who has to say yes to it: pure code, without a model, a clock or a network.
export { type Classified, classify } from './classify.ts';
export type { ActFacts, ElementFacts } from './facts.ts';
export {
  type Grant,
  type Rules,
  rulesFor,
  type Standing,
  siteOf,
  strictestOf,
  type Verdict,
  verdictOn,
} from './rules.ts';
