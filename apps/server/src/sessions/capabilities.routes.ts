// What this server offers, and what its caller may use of it.

import {
  bodyLimits,
  type CallerCapabilities,
  type Capabilities,
  type ExampleTask,
  maxSteps,
  type Registration,
  routes,
  sizes,
} from '@pilothouse/contract';
import { type Caller, type ModelLimits, noModelLimits, type Store } from '@pilothouse/store';
import type { CallLimitSettings } from '../http/call-limits.ts';
import type { Serve } from '../http/serve.ts';
import type { QuotaSettings } from './quotas.ts';

type Options = {
  store: Pick<Store, 'quotas' | 'modelBudget' | 'transaction'>;
  isAuthDisabled: boolean;
  hasProfileKey: boolean;
  auth: { minPasswordLength: number; registration: Registration };
  findPlanners: () => Promise<Pick<CallerCapabilities, 'planners' | 'models'>>;
  quotas: QuotaSettings;
  callLimits: CallLimitSettings;
  streamsPerUser: number;
  modelLimits?: ModelLimits;
  /** Tasks that the console offers to try. */
  examples?: ExampleTask[];
};

const kib = 1024;

export function capabilityRoutes(serve: Serve, options: Options): void {
  const { store, isAuthDisabled, hasProfileKey, findPlanners, quotas, callLimits, streamsPerUser } = options;
  const { modelLimits = noModelLimits, examples = [] } = options;
  const shared = {
    success: true,
    auth: isAuthDisabled ? 'disabled' : 'required',
    registration: options.auth.registration,
    password_min_length: options.auth.minPasswordLength,
  } as const;

  async function modelBudgetOf(userId: string): Promise<NonNullable<CallerCapabilities['model_budget']>> {
    const { tokens, costMicros, endsAt } = await store.modelBudget.today(userId);
    const left = (limit: number, used: number) => (limit > 0 ? { limit, used } : null);
    return {
      tokens: left(modelLimits.tokens, tokens),
      cost_micros: left(modelLimits.costMicros, costMicros),
      ends_at: endsAt.toISOString(),
    };
  }

  async function ofCaller({ id }: Caller): Promise<CallerCapabilities> {
    const held = await store.transaction((tx) => store.quotas.held(tx, id));
    const quota = (kind: keyof QuotaSettings) => ({ limit: quotas[kind], used: Math.max(0, held[kind]) });
    return {
      ...(await findPlanners()),
      model_budget: await modelBudgetOf(id),
      ...(examples.length > 0 && { examples }),
      recording: true,
      profiles: hasProfileKey,
      limits: { ...callLimits, streams: streamsPerUser },
      quotas: {
        open_tasks: quota('tasks'),
        open_sessions: quota('sessions'),
        profiles: quota('profiles'),
        file_bytes: quota('fileBytes'),
        state_bytes: quota('stateBytes'),
        picture_bytes: quota('pictureBytes'),
      },
      sizes: {
        prompt_chars: sizes.promptChars,
        plan_steps: maxSteps,
        chat_body_bytes: bodyLimits.chat,
        body_bytes: bodyLimits.other,
        input_actions: sizes.inputActions,
        files: sizes.files,
        chat_files_bytes: sizes.chatFilesKib * kib,
        chooser_files_bytes: sizes.chooserFilesKib * kib,
      },
    };
  }

  serve(
    routes.getCapabilities,
    async ({ caller }): Promise<Capabilities> => ({ ...shared, caller: caller ? await ofCaller(caller) : null }),
  );
}
