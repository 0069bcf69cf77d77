#!/usr/bin/env node
/** The command line of Tidemark. Results go to standard output, remarks to standard error, and no error prints a stack. */
import { parseArgs } from 'node:util'
import {
  ApiError,
  Tidemark,
  TidemarkError,
  TooManyRequestsError,
  UnauthorizedError,
  version,
} from '@tidemark/sdk'
import { accountCommands } from './account-commands.ts'
import { call } from './call-command.ts'
import {
  argument,
  type Command,
  type Context,
  exitCodes,
  type Option,
  refuseExtraArguments,
  UnsuccessfulError,
  UsageError,
  type Values,
} from './command.ts'
import { completionOf } from './completion.ts'
import { readConfig } from './config.ts'
import { crawlCommands } from './crawl-commands.ts'
import { dev } from './dev-command.ts'
import { clean } from './print.ts'
import { siteCommands } from './site-commands.ts'
import { commandsForStoredCrawls } from './stored-commands.ts'
import { webhooks } from './webhook-command.ts'

const globals: Record<string, Option> = {
  json: { description: 'print the result as JSON' },
  'base-url': {
    value: 'URL',
    description:
      'address of the service. Default: TIDEMARK_BASE_URL, then the stored one, then http://127.0.0.1:8080',
  },
  help: { short: 'h', description: 'explain the command' },
}

const completion: Command = {
  summary: 'print the completion script of a shell',
  usage: 'bash | zsh | fish',
  examples: [
    'source <(tidemark completion bash)',
    'tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
  ],
  async run(context) {
    const shell = argument(context, 0, 'The shell')
    const script = completionOf(shell, commands, Object.keys(globals))
    if (script === null)
      throw new UsageError(`There is no completion for '${shell}', only for bash, zsh and fish.`)
    process.stdout.write(script)
  },
}

const { login, usage, keys, monitor } = accountCommands
const commands: Record<string, Command> = {
  login,
  ...crawlCommands,
  ...commandsForStoredCrawls,
  ...siteCommands,
  monitor,
  webhooks,
  call,
  usage,
  keys,
  dev,
  completion,
}

process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(exitCodes.done[0])
  process.stderr.write(`tidemark: The result cannot be written: ${error.message}\n`)
  process.exit(exitCodes.failed[0])
})
// Remarks that cannot be written do not end a command.
process.stderr.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

async function main([name = '', ...rest]: string[]): Promise<number> {
  if (name === 'help' && rest[0]) return main([rest[0], '--help'])
  if (name === '--version' || name === 'version') return printed(version)
  if (['', 'help', '--help', '-h'].includes(name)) return printed(overview())
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const isJson = rest.includes('--json')
  if (command === undefined)
    return refuse(`There is no command '${name}'. 'tidemark --help' lists all.`, isJson)
  try {
    const { values, positionals } = parsed(command, rest)
    if (values.help) return printed(helpOf(name, command))
    refuseExtraArguments(command, positionals)
    return (await command.run(contextOf(values, positionals))) ?? exitCodes.done[0]
  } catch (error) {
    return codeOf(error, name, isJson)
  }
}

function parsed(command: Command, args: string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...globals }).map(([name, { value, short, multiple }]) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const)
      return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }]
    }),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true }) as { values: Values; positionals: string[] }
  } catch (error) {
    const text = (error as Error).message.split('. To specify')[0] ?? ''
    throw new UsageError(text.replace(/[^.]$/, '$&.'))
  }
}

function note(line: string): void {
  process.stderr.write(`${clean(line)}\n`)
}

function contextOf(values: Values, args: string[]): Context {
  const isJson = values.json === true
  return {
    values,
    args,
    isJson,
    client: () => clientOfOptions(values),
    print: (result, lines) =>
      void process.stdout.write(
        isJson
          ? `${JSON.stringify(result)}\n`
          : lines()
              .map(line => `${line}\n`)
              .join(''),
      ),
    note,
  }
}

/** Throws a usage error if the address is an option that no client can have. */
function clientOfOptions(values: Values): Tidemark {
  const given = values['base-url'] as string | undefined
  try {
    return clientOf(given || process.env.TIDEMARK_BASE_URL)
  } catch (error) {
    throw given && error instanceof TidemarkError ? new UsageError(error.message) : error
  }
}

/** Returns the client of an address, or of the stored one. The stored key is sent only to the address of its login. */
function clientOf(address: string | undefined): Tidemark {
  const key = process.env.TIDEMARK_API_KEY
  if (key && address) return new Tidemark({ apiKey: key, baseUrl: address })
  const stored = readConfig()
  const baseUrl = address || stored.base_url
  const isOfStored = withoutSlashes(baseUrl) === withoutSlashes(stored.base_url)
  if (!key && stored.api_key && !isOfStored)
    note(`The stored key belongs to ${withoutSlashes(stored.base_url)} and is not sent to ${baseUrl}.`)
  return new Tidemark({ apiKey: key || (isOfStored ? stored.api_key : undefined), baseUrl })
}

/** Returns an address without slashes at its end. */
function withoutSlashes(address = 'http://127.0.0.1:8080'): string {
  return address.replace(/\/+$/, '')
}

function codeOf(error: unknown, name: string, isJson: boolean): number {
  if (error instanceof UsageError) return refuse(`${error.message} See 'tidemark ${name} --help'.`, isJson)
  const text = error instanceof Error ? error.message : String(error)
  printError(text, isJson, error instanceof ApiError ? error : undefined)
  if (error instanceof UnauthorizedError) {
    if (!isJson) note("Store a valid key with 'tidemark login', or set TIDEMARK_API_KEY.")
    return exitCodes.key[0]
  }
  if (error instanceof TooManyRequestsError) return exitCodes.limit[0]
  return error instanceof UnsuccessfulError ? exitCodes.unsuccessful[0] : exitCodes.failed[0]
}

function refuse(text: string, isJson: boolean): number {
  printError(text, isJson)
  return exitCodes.usage[0]
}

/** Prints an error with the facts for its remedy: in the form of the API for programs, else in one line. */
function printError(message: string, isJson: boolean, error?: ApiError): void {
  const { code = null, reason = null, field = null, requestId = null, retryAfter = null } = error ?? {}
  if (isJson) {
    const facts = { code, message, reason, field, request_id: requestId, retry_after_seconds: retryAfter }
    process.stderr.write(`${JSON.stringify({ error: facts })}\n`)
    return
  }
  const facts = [
    field && `field ${field}`,
    reason && `reason ${reason}`,
    retryAfter !== null && `retry after ${retryAfter} s`,
    requestId && `request ${requestId}`,
  ].filter(Boolean)
  note(`tidemark: ${message}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`)
}

function printed(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.done[0]
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map(name => name.length))
  return [
    'Usage: tidemark COMMAND [OPTIONS]',
    '',
    "Crawls web sites with a Tidemark service. Begin with 'tidemark login'.",
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options of all commands:',
    ...optionLines(globals),
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(([code, description]) => `  ${String(code).padStart(3)}  ${description}`),
    '',
    "'tidemark COMMAND --help' has examples.",
  ].join('\n')
}

function helpOf(name: string, { summary, usage, options = {}, examples }: Command): string {
  return [
    `Usage: tidemark ${[name, usage].filter(Boolean).join(' ')} [OPTIONS]`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    'Options:',
    ...optionLines({ ...options, ...globals }),
    '',
    'Examples:',
    ...examples.map(example => `  ${example}`),
  ].join('\n')
}

function optionLines(options: Record<string, Option>): string[] {
  const rows = Object.entries(options).map(([name, { value, description }]) => [
    `--${name} ${value ?? ''}`.trimEnd(),
    description,
  ])
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', description]) => `  ${name.padEnd(width)}  ${description}`)
}
