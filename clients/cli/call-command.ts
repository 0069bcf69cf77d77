/** `tidemark call`: any operation of the API, with the retries of the client. */
import { type OperationId, operations } from '@tidemark/sdk'
import { argument, type Command, exitCodes, textOption, UsageError, type Values } from './command.ts'

export const call: Command = {
  summary: 'call any operation of the API and print its response',
  usage: 'OPERATION',
  options: {
    path: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      says: 'a parameter of the path; repeatable',
    },
    query: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      says: 'a parameter of the query; repeatable',
    },
    body: { type: 'string', value: 'JSON', says: 'the body of the request' },
  },
  examples: [
    `tidemark call cloudScrape --body '{"url": "https://example.com/"}'`,
    'tidemark call listLinks --path id=12 --query limit=100 | jq .items[].to_url',
  ],
  async run(context) {
    const name = argument(context, 0, 'OPERATION')
    if (!Object.hasOwn(operations, name))
      throw new UsageError(`There is no operation '${name}'. Use an operationId of /openapi.json.`)
    requirePath(operations[name as OperationId].path, context.values)
    const body = textOption(context, 'body')
    const args = {
      path: pairsIn(context.values, 'path'),
      query: pairsIn(context.values, 'query'),
      ...(body !== undefined && { body: jsonIn(body) }),
    }
    const answer = await context.client().request(name as OperationId, args, '*/*')
    for await (const chunk of answer.body ?? []) process.stdout.write(chunk)
    if (answer.headers.get('content-type')?.includes('json')) process.stdout.write('\n')
    return exitCodes.done[0]
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

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--body is not JSON: ${(error as Error).message}.`)
  }
}
