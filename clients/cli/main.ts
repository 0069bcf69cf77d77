#!/usr/bin/env node
/** The command line of Tidemark. Results go to standard output, remarks to standard error, and no error prints a stack. */
import { parseArgs } from 'node:util'
import { ApiError, Tidemark, TooManyRequestsError, UnauthorizedError, version } from '@tidemark/sdk'
import { accountCommands } from './account-commands.ts'
import { call } from './call-command.ts'
import {
  argument,
  type Command,
  type Context,
  exitCodes,
  type Option,
  UsageError,
  type Values,
} from './command.ts'
import { completionOf } from './completion.ts'
import { type Config, readConfig } from './config.ts'
import { crawlCommands } from './crawl-commands.ts'
import { dev } from './dev-command.ts'
import { clean } from './print.ts'
import { siteCommands } from './site-commands.ts'
import { webhooks } from './webhook-command.ts'

const globals: Record<string, Option> = {
  json: { type: 'boolean', says: 'print the result as JSON' },
  'api-key': {
    type: 'string',
    value: 'KEY',
    says: 'the API key. Default: TIDEMARK_API_KEY, then the stored one',
  },
  'base-url': {
    type: 'string',
    value: 'URL',
    says: 'the service. Default: TIDEMARK_BASE_URL, then the stored one',
  },
  help: { type: 'boolean', short: 'h', says: 'explain the command' },
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
    return exitCodes.done[0]
  },
}

const { login, usage, keys, monitor } = accountCommands
const commands: Record<string, Command> = {
  login,
  ...crawlCommands,
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
})
process.exitCode = await main(process.argv.slice(2))

async function main([name = '', ...rest]: string[]): Promise<number> {
  if (name === '--version' || name === 'version') return printed(version)
  if (['', 'help', '--help', '-h'].includes(name)) return printed(overview())
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) return refuse(`There is no command '${name}'. 'tidemark --help' lists all.`)
  try {
    const { values, positionals } = parsed(command, rest)
    if (values.help) return printed(helpOf(name, command))
    const config = await readConfig()
    return (await command.run(contextOf(values, positionals, config))) ?? exitCodes.done[0]
  } catch (error) {
    return codeOf(error, name)
  }
}

function parsed(command: Command, args: string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...globals }).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true }) as { values: Values; positionals: string[] }
  } catch (error) {
    throw new UsageError((error as Error).message.split('. To specify')[0])
  }
}

function contextOf(values: Values, args: string[], config: Config): Context {
  const isJson = values.json === true
  return {
    values,
    args,
    isJson,
    client: () =>
      new Tidemark({
        apiKey: (values['api-key'] as string) ?? process.env.TIDEMARK_API_KEY ?? config.api_key,
        baseUrl: (values['base-url'] as string) ?? process.env.TIDEMARK_BASE_URL ?? config.base_url,
      }),
    print: (result, lines) =>
      void process.stdout.write(
        isJson
          ? `${JSON.stringify(result)}\n`
          : lines()
              .map(line => `${line}\n`)
              .join(''),
      ),
    note: line => void process.stderr.write(`${clean(line)}\n`),
  }
}

function codeOf(error: unknown, name: string): number {
  if (error instanceof UsageError) return refuse(`${error.message} See 'tidemark ${name} --help'.`)
  const id = error instanceof ApiError && error.requestId !== null ? ` (request ${error.requestId})` : ''
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(`tidemark: ${clean(text)}${id}\n`)
  if (error instanceof UnauthorizedError) {
    process.stderr.write("Store a valid key with 'tidemark login', or set TIDEMARK_API_KEY.\n")
    return exitCodes.key[0]
  }
  if (error instanceof TooManyRequestsError) return exitCodes.limit[0]
  return exitCodes.failed[0]
}

function refuse(text: string): number {
  process.stderr.write(`tidemark: ${clean(text)}\n`)
  return exitCodes.usage[0]
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
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options of all commands:',
    ...optionLines(globals),
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(([code, says]) => `  ${String(code).padStart(3)}  ${says}`),
    '',
    "'tidemark COMMAND --help' has examples.",
  ].join('\n')
}

function helpOf(name: string, { summary, usage, options = {}, examples }: Command): string {
  return [
    `Usage: tidemark ${name} ${usage}`.trimEnd(),
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
  const rows = Object.entries(options).map(([name, { value, says }]) => [
    `--${name} ${value ?? ''}`.trimEnd(),
    says,
  ])
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', says]) => `  ${name.padEnd(width)}  ${says}`)
}
