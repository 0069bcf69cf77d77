/**
 * `npm run admin -- COMMAND …`: an operator's actions on a running instance. Prints one line of JSON on standard output
 * and nothing else; faults and remedies go to standard error. `--help` prints the help on standard output, and does
 * nothing.
 */
import path from 'node:path'
import * as acceptLoss from '../admin/accept-loss.ts'
import { AdminError } from '../admin/admin-error.ts'
import * as backup from '../admin/backup.ts'
import * as createProject from '../admin/create-project.ts'
import * as deadLetters from '../admin/dead-letters.ts'
import * as declareStreams from '../admin/declare-streams.ts'
import { createKey, listKeys, revokeKey } from '../admin/keys.ts'
import * as purgeProject from '../admin/purge-project.ts'
import { purgeRun, purgeRuns } from '../admin/purge-runs.ts'
import * as rebuildProjections from '../admin/rebuild/rebuild-projections.ts'
import * as resendMails from '../admin/resend-mails.ts'
import * as restore from '../admin/restore.ts'
import * as rotateSecrets from '../admin/sealing/rotate-secrets.ts'
import { sentenceOf } from '../admin/sentence.ts'
import * as setKey from '../admin/set-key.ts'
import * as setProject from '../admin/set-project.ts'
import * as verify from '../admin/verify.ts'
import { root } from './settings.ts'

type Command = { usage: string; summary: string; run(args: string[], dir: string): Promise<object> }

const commands = new Map<string, Command>([
  ['create-project', createProject],
  ['set-project', setProject],
  ['create-key', createKey],
  ['set-key', setKey],
  ['revoke-key', revokeKey],
  ['list-keys', listKeys],
  ['resend-mails', resendMails],
  ['dead-letters', deadLetters],
  ['purge-run', purgeRun],
  ['purge-runs', purgeRuns],
  ['purge-project', purgeProject],
  ['rebuild-projections', rebuildProjections],
  ['rotate-secrets', rotateSecrets],
  ['backup', backup],
  ['restore', restore],
  ['accept-loss', acceptLoss],
  ['declare-streams', declareStreams],
  ['verify', verify],
])

process.exit(await main(process.argv.slice(2)).catch(reportFailure))

async function main(line: string[]): Promise<number> {
  const asksForHelp =
    line.slice(0, 2).includes('help') || line.some(word => word === '--help' || word === '-h')
  const [name = '', ...args] = asksForHelp ? line.filter(word => !/^(help|--help|-h)$/.test(word)) : line
  const command = commands.get(name)
  if (asksForHelp && (command !== undefined || name === '')) {
    process.stdout.write(`${command ? helpOf(command) : list()}\n`)
    return 0
  }
  if (command === undefined)
    throw new AdminError(`${name ? `There is no command "${name}".` : 'Which command?'}\n${list()}`, 2)
  const result = await command.run(args, path.resolve(root, process.env.TIDEMARK_DIR || '.tidemark'))
  process.stdout.write(`${JSON.stringify(result)}\n`)
  // The requested condition is false, for example in `verify`.
  return 'ok' in result && result.ok === false ? 1 : 0
}

function helpOf({ usage, summary }: Command): string {
  return `${summary}\n  npm run admin -- ${usage}`
}

function list(): string {
  return [...commands.values()].map(({ usage }) => `  npm run admin -- ${usage}`).join('\n')
}

/** Prints the fault and returns the exit code. */
function reportFailure(error: Error): number {
  const sentence = isWrongOption(error) ? error.message : sentenceOf(error)
  process.stderr.write(`${sentence ?? error.stack}\n`)
  if (error instanceof AdminError) return error.exitCode
  if (!isWrongOption(error)) return 1
  process.stderr.write(`${list()}\n`)
  return 2
}

function isWrongOption(error: Error): boolean {
  return String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS')
}
