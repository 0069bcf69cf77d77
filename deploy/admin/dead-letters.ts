/** `dead-letters`: lists and shows messages that consumers gave up on, sends them again after a fix, or discards them. */
import { parseArgs } from 'node:util'
import { streams } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import type { Selection } from './dead-letters/actions.ts'
import type { Wanted } from './dead-letters/letters.ts'
import { onStandardError, type Print } from './print.ts'
import { withBus } from './reach-instance.ts'
import { momentOf } from './when.ts'

const which = 'ID… | --all [--stream STREAM] [--since WHEN]'
const usages = {
  list: 'dead-letters list [--stream STREAM] [--since WHEN] [--limit N]',
  show: 'dead-letters show ID',
  replay: `dead-letters replay ${which}`,
  discard: `dead-letters discard ${which}`,
}
export const usage = Object.values(usages).join('\n  npm run admin -- ')
export const summary = 'Lists, shows, replays or discards messages that could not be processed.'

const defaultLimit = 100
const maxListed = 10_000
const names = new Set<string>(Object.values(streams))

type Action = keyof typeof usages
type Command = Selection & { action: Action; limit: number }

/** Runs the command. Throws AdminError if the command line is wrong, or if the requested dead letter does not exist. */
export async function run(args: string[], dir: string, print: Print = onStandardError): Promise<object> {
  const command = read(args)
  const { discard, list, replay, show } = await import('./dead-letters/actions.ts')
  return withBus(dir, bus => {
    switch (command.action) {
      case 'list':
        return list(bus, command.wanted, command.limit, print)
      case 'show':
        return show(bus, command.ids[0] ?? 0)
      case 'replay':
        return replay(bus, command, print)
      case 'discard':
        return discard(bus, command)
    }
  })
}

const options = {
  all: { type: 'boolean', default: false },
  stream: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string', default: String(defaultLimit) },
} as const

function read(args: string[]): Command {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [action = '', ...rest] = positionals
  if (!isAction(action))
    throw wrong(action ? `There is no "dead-letters ${action}".` : 'The action is missing.')
  const { all, limit } = values
  const command = { action, all, ids: rest.map(idOf), wanted: wantedOf(values), limit: Number(limit) }
  const fault = faultOf(command)
  if (fault !== null) throw wrong(fault, action)
  return command
}

const isAction = (text: string): text is Action => text in usages

function faultOf({ action, all, ids, wanted, limit }: Command): string | null {
  const isFiltered = wanted.stream !== undefined || wanted.since !== undefined
  if (action === 'list') {
    if (ids.length > 0 || all) return 'The list has all dead letters. Filter it by --stream and --since.'
    const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= maxListed
    return isLimit ? null : `--limit must be a number from 1 to ${maxListed}.`
  }
  if (action === 'show')
    return ids.length === 1 && !all && !isFiltered ? null : 'Name exactly one letter by its id.'
  if (ids.length > 0 === all) return 'Name letters by their ids, or pass --all.'
  return all || !isFiltered ? null : '--stream and --since go with --all.'
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw wrong(`"${text}" is not the number of a dead letter.`)
  return Number(text)
}

function wantedOf({ stream, since }: { stream?: string | undefined; since?: string | undefined }): Wanted {
  if (stream !== undefined && !names.has(stream))
    throw wrong(`There is no stream "${stream}"; there are ${[...names].join(', ')}.`)
  return { stream, since: since === undefined ? undefined : momentOf('since', since, Date.now()) }
}

function wrong(message: string, action?: Action): AdminError {
  const lines = action === undefined ? Object.values(usages) : [usages[action]]
  return new AdminError([message, ...lines].join('\n  '), 2)
}
