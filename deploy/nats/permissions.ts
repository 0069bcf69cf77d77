/** Computes the rights of each service on the bus, as subjects of the server. */
import { rpcs } from '@tidemark/contracts/rpc/all'
import type { Rpc } from '@tidemark/contracts/rpc/rpc'
import { bulky, notifications, subjects } from '@tidemark/contracts/subjects'
import { bulkyStream, type User, users } from './users.ts'

export type Permissions = { publish: { allow: string[]; deny: string[] }; subscribe: string[] }

/**
 * Subjects of notifications. Every service may receive all, because they contain at most the id of a run, the prefix of a
 * key, or the host of a pause.
 */
const everyNotification = 'tell.>'

/** Returns the subject of responses to this user; `libs/bus` subscribes to it. */
const inboxOf = (user: string): string => `_INBOX.${user}.>`

export function permissionsOf(name: keyof typeof users): Permissions {
  const user: User = users[name]
  const { publishes = [], callsAreas = [] } = user
  const called = rpcs.filter(({ callers }) => callers.includes(name))
  const excluded = rpcs.filter(rpc => callsAreas.includes(areaOf(rpc)) && !called.includes(rpc))
  const served = rpcs.filter(rpc => rpc.server === name && !isNotice(rpc))
  return {
    publish: {
      allow: [
        ...new Set([
          ...publishes,
          notifications.heartbeat(name),
          ...patternsOf(called, callsAreas),
          ...streamSubjects(user),
        ]),
      ],
      deny: excluded.map(({ subject }) => subject),
    },
    subscribe: [...new Set([inboxOf(name), everyNotification, ...patternsOf(served)])],
  }
}

/** Returns the subject without its last part: `ask.runs` for `ask.runs.start`. */
const areaOf = ({ subject }: Rpc): string => subject.slice(0, subject.lastIndexOf('.'))

/**
 * Returns whether it is a notification. Every service may receive those, so a server needs no permission of its own.
 */
const isNotice = (rpc: Rpc): boolean => areaOf(rpc) === 'tell'

const byArea = Map.groupBy(rpcs, areaOf)

/**
 * Returns one pattern for each area whose procedures are all in `some`, or that is in `areas`; otherwise the subjects.
 */
function patternsOf(some: readonly Rpc[], areas: readonly string[] = []): string[] {
  const someByArea = Map.groupBy(some, areaOf)
  const patternOf = (rpc: Rpc): string => {
    const area = areaOf(rpc)
    const count = byArea.get(area)?.length ?? 0
    const isWhole = count > 1 && !isNotice(rpc) && someByArea.get(area)?.length === count
    return isWhole || areas.includes(area) ? `${area}.*` : rpc.subject
  }
  return some.map(patternOf)
}

const api = (what: string) => `$JS.API.${what}`

function streamSubjects({
  reads = [],
  readsSingle = [],
  deadLetters = [],
  consumes = [],
  purges = [],
  fillsQueues = [],
  measures = [],
  hasBulky,
  listsStreams,
}: User): string[] {
  return [
    ...reads.flatMap(readingAll),
    ...readsSingle.flatMap(readingSingle),
    // An outbox requests the stream of a subject.
    ...(readsSingle.length > 0 ? [api('STREAM.NAMES')] : []),
    ...consumes.flatMap(consuming),
    ...[...consumes, ...deadLetters].map(stream => subjects.dead(stream, '*')),
    ...[...purges, ...fillsQueues].map(stream => api(`STREAM.PURGE.${stream}`)),
    ...fillsQueues.flatMap(readingSingle),
    ...measures.map(stream => api(`CONSUMER.LIST.${stream}`)),
    ...(hasBulky ? objects : []),
    ...(listsStreams ? [api('STREAM.LIST')] : []),
  ]
}

/** Rights to read a stream with a temporary consumer, and to check whether the last read message still exists. */
const readingAll = (stream: string): string[] => [
  api(`STREAM.INFO.${stream}`),
  api(`STREAM.MSG.GET.${stream}`),
  api(`CONSUMER.CREATE.${stream}`),
  api(`CONSUMER.CREATE.${stream}.>`),
  api(`CONSUMER.DELETE.${stream}.*`),
  api(`CONSUMER.INFO.${stream}.*`),
  api(`CONSUMER.MSG.NEXT.${stream}.*`),
]

const readingSingle = (stream: string): string[] => [
  api(`STREAM.INFO.${stream}`),
  api(`STREAM.MSG.GET.${stream}`),
]

/** Rights to use the declared consumers, and to create them again if a server has lost their position. */
const consuming = (stream: string): string[] => [
  api(`STREAM.INFO.${stream}`),
  api(`STREAM.MSG.GET.${stream}`),
  api(`CONSUMER.INFO.${stream}.*`),
  api(`CONSUMER.CREATE.${stream}.>`),
  api(`CONSUMER.DURABLE.CREATE.${stream}.*`),
  api(`CONSUMER.DELETE.${stream}.*`),
  api(`CONSUMER.MSG.NEXT.${stream}.*`),
  `$JS.ACK.${stream}.>`,
]

const objects: string[] = [
  api('INFO'),
  ...readingSingle(bulkyStream),
  ...readingAll(bulkyStream),
  api(`STREAM.PURGE.${bulkyStream}`),
  `$O.${bulky}.C.>`,
  `$O.${bulky}.M.>`,
  `$JS.FC.${bulkyStream}.>`,
]

/**
 * Minutes for which a service may respond to a request. The server drops later responses. Exceeds the longest time for
 * which a caller waits: 215 s for a scan of 120 s with a language model.
 */
const responseMinutes = 4

/**
 * Returns the users as a part of the server's configuration. A service may also publish to the reply subject of a
 * request, at most two messages within `responseMinutes`.
 */
export function authorization(passwordOf: (user: string) => string, administrator: string): string {
  const quoted = (subjects: string[]) => `[${subjects.map(subject => JSON.stringify(subject)).join(', ')}]`
  const lines = (Object.keys(users) as (keyof typeof users)[]).map(name => {
    const { publish, subscribe } = permissionsOf(name)
    const deny = publish.deny.length > 0 ? `, deny: ${quoted(publish.deny)}` : ''
    return `    { user: "${name}", password: "${passwordOf(name)}", permissions: {
      publish: { allow: ${quoted(publish.allow)}${deny} }
      subscribe: { allow: ${quoted(subscribe)} }
      allow_responses: { max: 2, expires: "${responseMinutes}m" }
    } }`
  })
  return `authorization {
  users: [
    { user: "${administrator}", password: "${passwordOf(administrator)}" }
${lines.join('\n')}
  ]
}
`
}
