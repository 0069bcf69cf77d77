/** Reads the state of the bus for the operator: streams, the consumers of work queues, and dead letters. */
import type { Bus } from '@tidemark/bus/connection'
import { deadHeaders } from '@tidemark/bus/dead'
import { storedMessage } from '@tidemark/bus/stored'
import type { DeadLetterState, QueueState, StreamState } from '@tidemark/contracts/http/operator'
import { streams } from '@tidemark/contracts/subjects'
import { withoutSecrets } from '@tidemark/telemetry/redact'
import type { Stream } from '../../adapters/measure-streams.ts'
import { groupOf, queues, repairCommand, serviceOf, showCommand } from '../domain/consumers.ts'

type Manager = Pick<Bus, 'nc' | 'jsm'>

const maxGroups = 50
/** Maximum number of dead letters that are read, because each comes with its content of up to 1 MB. */
const maxRead = 12
const maxReasonLength = 200

export const streamStates = (measured: readonly Stream[]): StreamState[] =>
  measured.map(({ name, messages, bytes, limit }) => ({
    stream: name,
    messages,
    bytes,
    max_bytes: limit > 0 ? limit : null,
  }))

/** Returns the consumers of the work queues that exist. */
export async function queueStates(bus: Manager, measured: readonly Stream[]): Promise<QueueState[]> {
  const found = measured.filter(({ name }) => queues.includes(name))
  return (await Promise.all(found.map(stream => consumersOf(bus, stream)))).flat()
}

async function consumersOf(bus: Manager, { name: stream, oldest }: Stream): Promise<QueueState[]> {
  const groups = new Map<string, QueueState>()
  for await (const info of bus.jsm.consumers.list(stream)) {
    const consumer = groupOf(info.name)
    const before = groups.get(consumer) ?? { waiting: 0, in_flight: 0, redelivered: 0 }
    groups.set(consumer, {
      ...{ service: serviceOf(consumer), stream, consumer },
      waiting: before.waiting + info.num_pending,
      in_flight: before.in_flight + info.num_ack_pending,
      redelivered: before.redelivered + info.num_redelivered,
      oldest_seconds: oldest.find(one => one.consumer === consumer)?.seconds ?? 0,
    })
  }
  return [...groups.values()].slice(0, maxGroups)
}

type Letters = { total: number; items: DeadLetterState[] }
type Group = { stream: string; group: string; subjects: string[]; letters: number }

/** Returns the number of dead letters, and the groups with the most of them. */
export async function deadLetters(bus: Manager, measured: readonly Stream[]): Promise<Letters> {
  if (!measured.some(({ name }) => name === streams.dead)) return { total: 0, items: [] }
  const groups = (await groupsOf(bus)).sort((one, other) => other.letters - one.letters)
  const shown = groups.slice(0, maxGroups)
  let toRead = maxRead
  const reading = shown.map(group => {
    const subjects = group.subjects.slice(0, toRead)
    toRead -= subjects.length
    return stateOf(bus, group, subjects)
  })
  const total = groups.reduce((sum, { letters }) => sum + letters, 0)
  return { total, items: await Promise.all(reading) }
}

async function groupsOf(bus: Manager): Promise<Group[]> {
  const { state } = await bus.jsm.streams.info(streams.dead, { subjects_filter: 'dead.>' })
  const groups = new Map<string, Group>()
  for (const [subject, letters] of Object.entries(state.subjects ?? {})) {
    const [, stream = '', consumer = ''] = subject.split('.')
    const group = groupOf(consumer)
    const known = groups.get(`${stream} ${group}`) ?? { stream, group, subjects: [], letters: 0 }
    groups.set(`${stream} ${group}`, {
      ...known,
      subjects: [...known.subjects, subject],
      letters: known.letters + letters,
    })
  }
  return [...groups.values()]
}

async function stateOf(bus: Manager, { stream, group, letters }: Group, subjects: string[]) {
  const newest = await newestOf(bus, subjects)
  return {
    service: serviceOf(group),
    stream,
    consumer: group,
    letters,
    newest,
    show: newest && showCommand(newest.id),
    repair: repairCommand(stream, group),
  }
}

async function newestOf(bus: Manager, subjects: readonly string[]): Promise<DeadLetterState['newest']> {
  const found = await Promise.all(
    subjects.map(subject => storedMessage(bus, streams.dead, { last_by_subj: subject })),
  )
  const [newest] = found.filter(message => message !== null).sort((one, other) => other.seq - one.seq)
  if (newest === undefined) return null
  const reason = newest.header.get(deadHeaders.reason)
  return { id: newest.seq, at: newest.time.toISOString(), reason: reasonOf(reason) }
}

/** Errors of a parser or of the database quote values, which may be text of a page. */
const quoted = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'/g

const reasonOf = (text: string): string =>
  withoutSecrets(text).replace(quoted, '"…"').slice(0, maxReasonLength)
