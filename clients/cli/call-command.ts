/** `tidemark call`: any operation of the API, with the retries of the client. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { needsStream, type OperationId, operations, resultIn } from '@tidemark/sdk'
import { argument, type Command, exitCodes, textOption, UsageError, type Values } from './command.ts'

export const call: Command = {
  summary: 'call any operation of the API and print its response',
  usage: 'OPERATION',
  options: {
    path: {
      multiple: true,
      value: 'NAME=VALUE',
      description: 'a parameter of the path; repeatable',
    },
    query: {
      multiple: true,
      value: 'NAME=VALUE',
      description: 'a parameter of the query; repeatable',
    },
    body: {
      value: 'JSON | @FILE | -',
      description:
        'the body of the request, from a file or from standard input. Others can see the command line, so keep secrets out of it',
    },
  },
  examples: [
    `tidemark call cloudScrape --body '{"url": "https://example.com/"}'`,
    'tidemark call scanPage --body @scan.json',
    'tidemark call listLinks --path id=12 --query limit=100 | jq .items[].to_url',
  ],
  async run(context) {
    const name = argument(context, 0, 'OPERATION')
    if (!Object.hasOwn(operations, name))
      throw new UsageError(`There is no operation '${name}'. Use an operationId of /openapi.json.`)
    requirePath(operations[name as OperationId].path, context.values)
    const body = textOption(context, 'body')
    if (body !== undefined && operations[name as OperationId].method === 'GET')
      throw new UsageError(`${name} has no body. Its parameters are given by --path and --query.`)
    const args = {
      path: pairsIn(context.values, 'path'),
      query: pairsIn(context.values, 'query'),
      ...(body !== undefined && { body: await jsonIn(body) }),
    }
    const isStream = needsStream(name as OperationId, args.body)
    const accept = isStream ? 'text/event-stream' : '*/*'
    const answer = await context.client().request(name as OperationId, args, accept)
    if (isStream) {
      process.stdout.write(`${JSON.stringify(await resultIn(answer))}\n`)
      return exitCodes.done[0]
    }
    for await (const chunk of answer.body ?? []) process.stdout.write(chunk)
    if (answer.headers.get('content-type')?.includes('json')) process.stdout.write('\n')
  },
}

/** Throws a usage error for the first parameter of a path that `--path` does not give. */
function requirePath(path: string, values: Values): void {
  const given = pairsIn(values, 'path')
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
    if (!given[name]) throw new UsageError(`--path ${name}=VALUE is missing, for ${path}.`)
}

function pairsIn(values: Values, option: string): Record<string, string> {
  const pairs = ((values[option] ?? []) as string[]).map(text => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--${option} must be NAME=VALUE, not '${text}'.`)
    return [name, value]
  })
  return Object.fromEntries(pairs)
}

async function jsonIn(given: string): Promise<unknown> {
  const text = await bodyText(given)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message of the parser quotes the text, which may be secret if it is not a part of the command line.
    const detail = text === given ? `: ${(error as Error).message}` : ''
    throw new UsageError(`--body is not JSON${detail}.`)
  }
}

async function bodyText(given: string): Promise<string> {
  if (given === '-') return text(process.stdin)
  if (!given.startsWith('@')) return given
  try {
    return await readFile(given.slice(1), 'utf8')
  } catch (error) {
    throw new UsageError(`--body cannot be read: ${(error as Error).message}.`)
  }
}
