/**
 * `/v1/operator/overview`: the state of the installation for its operator. It has no content of pages, no keys and no
 * secrets. Each part says whether all services that have its data responded.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { described, Id, oneOf, orNull, Tier, Timestamp } from '../primitives.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description })
const usd = (description: string) => Type.Number({ description })
const textOrNull = (description: string) => described(orNull(Type.String()), description)
const countOrNull = (description: string) => described(orNull(Type.Integer()), description)
const partOf = <Item extends TSchema>(item: Item, description: string, maxItems: number) => ({
  available: Type.Boolean({ description: 'Whether all services that have the data responded in time.' }),
  missing: Type.Array(Type.String(), {
    description: 'Services without a response; `nats` is the bus itself.',
  }),
  items: Type.Array(item, { description, maxItems }),
})

const working = oneOf(['pass', 'warn', 'fail'])

const InstanceState = Type.Object({
  instance: text('Name of the process.'),
  status: Type.Union([working, Type.Literal('silent')], {
    description: 'warn: it works, but has a problem. silent: no heartbeat for over 30 seconds.',
  }),
  cause: textOrNull('The problem, beginning with the name of its cause; null: none.'),
  age_seconds: Type.Number({ description: 'Seconds since its last heartbeat.' }),
})

const ServiceState = Type.Object({
  service: text('Name of the service.'),
  status: Type.Union([working, Type.Literal('missing')], {
    description: 'missing: no instance sends heartbeats.',
  }),
  instances: Type.Array(InstanceState, {
    description: 'Its processes by name; at most 50, those with the latest heartbeats.',
  }),
})
export type ServiceState = Static<typeof ServiceState>

const StreamState = Type.Object({
  stream: text('Name of the stream.'),
  messages: count('Number of stored messages.'),
  bytes: count('Stored bytes.'),
  max_bytes: countOrNull('Size limit in bytes; null: none.'),
})
export type StreamState = Static<typeof StreamState>

const QueueState = Type.Object({
  service: textOrNull('The service that processes the queue.'),
  stream: text('Stream of the queue.'),
  consumer: text('Name of the consumer; `coordinator` is the sum of all shards.'),
  waiting: count('Messages that no process has received.'),
  in_flight: count('Messages that processes have received and not settled.'),
  redelivered: count('Of those in flight, messages that were delivered before.'),
  oldest_seconds: Type.Number({
    description: 'Age of the oldest message in seconds; 0: the queue is empty.',
  }),
})
export type QueueState = Static<typeof QueueState>

const ProjectionState = Type.Object({
  service: text('The service that reads the stream.'),
  stream: text('Stream of the projection.'),
  projection: text('Name of the projection.'),
  messages: count('Messages after its checkpoint. Negative: the stream lost messages that were read.'),
  seconds: Type.Number({ description: 'Age of the first message that it has not processed.' }),
})

const DeadLetterState = Type.Object({
  service: textOrNull('The service that gave the messages up.'),
  stream: text('Stream of the messages.'),
  consumer: text('The consumer that gave them up; `coordinator` is the sum of all shards.'),
  letters: count('Number of messages.'),
  newest: described(
    orNull(
      Type.Object({
        id: count('Number of the dead letter.'),
        at: described(Timestamp, 'Time at which it was given up.'),
        reason: text('The reason, without secrets and quoted values.'),
      }),
    ),
    'The newest of them; null: it was not read.',
  ),
  show: textOrNull('Command that explains the newest one.'),
  repair: textOrNull('Command for after the repair of the cause; null: nothing repeats the work.'),
})
export type DeadLetterState = Static<typeof DeadLetterState>

const HostState = Type.Object({
  origin: text('Scheme and host with its port.'),
  paused_until: described(Timestamp, 'End of the pause that the host requested.'),
  is_paused: Type.Boolean({ description: 'Whether the pause lasts.' }),
  pauses: count('Number of pauses since the host entered the list.'),
})

const ProjectState = Type.Object({
  project_id: described(Id, 'Number of the project.'),
  name: textOrNull('Its name; null: unknown.'),
  tier: described(orNull(Tier), 'Its tier; null: unknown.'),
  queued: countOrNull('Runs that wait.'),
  running: countOrNull('Runs that run.'),
  started: countOrNull('Runs that were started today.'),
  pages: countOrNull('Pages of today.'),
  cloud_pages: countOrNull('Cloud pages of today.'),
  cloud_cost_usd: described(orNull(Type.Number()), 'Cost of the cloud today in US dollars.'),
  model_calls: countOrNull('Calls of the language model today.'),
})
export type ProjectState = Static<typeof ProjectState>

const CostState = Type.Object({
  project_id: described(Id, 'Number of the project.'),
  name: textOrNull('Its name; null: unknown.'),
  cloud_cost_usd: usd('Cost of the cloud this month in US dollars.'),
  cloud_pages: count('Cloud pages of this month.'),
  model_calls: count('Calls of the language model this month.'),
})
export type CostState = Static<typeof CostState>

const Sums = (description: string) =>
  described(
    orNull(
      Type.Object({
        pages: count('Pages.'),
        cloud_pages: count('Cloud pages.'),
        cloud_cost_usd: usd('Cost of the cloud in US dollars.'),
        model_calls: count('Calls of the language model.'),
      }),
    ),
    description,
  )

const total = (description: string) => countOrNull(`${description}; null: unknown.`)

export const OperatorOverview = Type.Object(
  {
    generated_at: described(Timestamp, 'Time of the response. A response is shared for one second.'),
    day: Type.String({ format: 'date', description: 'The UTC day that counts as today.' }),
    traces_url: textOrNull('Address of the user interface for traces (`TRACES_URL`).'),
    services: Type.Object(partOf(ServiceState, 'Every service.', 9)),
    streams: Type.Object(partOf(StreamState, 'Every stream.', 50)),
    queues: Type.Object(partOf(QueueState, 'Consumers of work queues.', 50)),
    projections: Type.Object(partOf(ProjectionState, 'Readers of streams.', 50)),
    dead_letters: Type.Object({
      total: total('Number of dead letters'),
      ...partOf(DeadLetterState, 'Dead letters by consumer, most first.', 50),
    }),
    hosts: Type.Object({
      total: total('Number of such hosts'),
      ...partOf(HostState, 'Hosts that requested a pause now or in the last ten minutes.', 50),
    }),
    projects: Type.Object({
      total: total('Number of projects'),
      ...partOf(ProjectState, 'Most units today first, then most active and started runs.', 50),
    }),
    costs: Type.Object({
      today: Sums('Sums of today over all projects; null: unknown.'),
      month: Sums('Sums of this month over all projects; null: unknown.'),
      ...partOf(CostState, 'Projects with costs this month, the highest first.', 50),
    }),
  },
  { $id: 'OperatorOverview' },
)
export type OperatorOverview = Static<typeof OperatorOverview>
