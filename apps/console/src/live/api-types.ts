// The shapes of the interface, as the client of the SDK returns them.

import type { Client, ConnectionState } from '@pilothouse/sdk';

type Reply<Name extends keyof Client> = Awaited<ReturnType<Client[Name]>>;
type EventOf<Stream> = Stream extends AsyncIterable<infer Event> ? Event : never;
type Change<Event, Type extends string> = Extract<Event, { type: Type }>;

export type Snapshot = Reply<'getSession'>['snapshot'];
export type Session = Snapshot['session'];
export type Frame = NonNullable<Snapshot['last_frame']>;
export type Overlay = Snapshot['overlays'][number];
export type BrowserRoute = Snapshot['route_summary']['current'];
export type OpenPage = Snapshot['route_summary']['pages'][number];
export type PageTrouble = NonNullable<OpenPage['trouble']>;
export type MessageState = NonNullable<Snapshot['message_state']>;
export type LiveEvent = EventOf<ReturnType<Client['followSession']>>;

export type TaskStatus = Reply<'getTaskStatus'>['status'];
export type TaskProgress = Change<TaskEvent, 'status'>['status'];
export type TaskEvent = EventOf<ReturnType<Client['followTask']>>;
export type AgentHistory = TaskStatus['agent_history'][number];
export type Evidence = TaskStatus['recent_evidence'][number];
export type TaskResult = NonNullable<TaskStatus['result']>;
export type Question = NonNullable<TaskStatus['question']>;
export type Approval = NonNullable<Question['approval']>;
export type Verdict = NonNullable<AgentHistory['policy']>;
export type TaskSummary = Reply<'listTasks'>['tasks'][number];
export type TaskDetail = Reply<'getTask'>['task'];
export type Execution = Reply<'listExecutions'>['executions'][number];
export type Decision = Reply<'listDecisions'>['decisions'][number];
export type ExecutionStep = Execution['steps'][number];
export type LogEntry = Reply<'listLogs'>['logs'][number];
export type RecordingItem = Reply<'getRecording'>['items'][number];
export type RecordingBand = Reply<'getRecordingBands'>['bands'][number];
export type Observation = Reply<'listObservations'>['data']['observations'][number];
export type PolicyReply = Reply<'getPolicy'>;
export type Secret = Reply<'listSecrets'>['secrets'][number];
export type Share = Reply<'shareSession'>['share'];

export type Takeover = NonNullable<Snapshot['takeover']>;
export type DriverView = NonNullable<Snapshot['driver_view']>;
export type CopiedText = Change<LiveEvent, 'copied'>['copied'];

/** One thing that a person does to a page, without its number. */
export type PointerAction = DistributiveOmit<
  Extract<Parameters<Client['movePointer']>[0], { action: Exclude<string, 'route'> }>,
  'id' | 'takeover_id' | 'client_id' | 'epoch' | 'input_seq'
>;
type DistributiveOmit<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

/** `connecting` before the first answer, `refused` when the server refused the stream for good. */
export type Connection = ConnectionState | 'connecting' | 'refused';

/** What a stream brought, as it was. */
export type StreamedEvent = { at: number; stream: 'live' | 'task'; event: LiveEvent | TaskEvent };
