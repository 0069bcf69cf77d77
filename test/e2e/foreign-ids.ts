/**
 * Every operation of the served API reference that takes an id, called with ids of somebody else's and with ids
 * that nobody has: what comes back must not tell the one from the other. New operations are covered by being there.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer, System } from './system.ts'

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; example?: unknown }
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
type Document = { paths: Record<string, Record<string, Operation>> }

/** By the name in the path, after what the path says before it. */
type Ids = { crawls: number; pages: number; crons: number; keys: string }

export type Tried = { operation: string; foreign: Answer; missing: Answer }

/** The ids of the project that every instance begins with: its sample crawl, and a monitor made here. */
export async function idsOfFirstProject(system: System): Promise<Ids> {
  const first = JSON.parse(await readFile(join(system.dir, 'first-key.json'), 'utf8'))
  const monitor = { url: 'https://example.com/', cron: '0 3 * * *' }
  const { body } = await system.call(first.api_key, 'POST', '/v1/crawls', monitor)
  return { crawls: first.run.id, pages: first.run.page, crons: body.monitor_id, keys: first.prefix }
}

/** With the key of another project. */
export async function tryForeignIds(system: System, key: string, ids: Ids): Promise<Tried[]> {
  const { body: document } = await system.call(null, 'GET', '/openapi.json')
  const nobodys: Ids = { crawls: 987_654_321, pages: 987_654_321, crons: 987_654_321, keys: 'tmk_00000000' }
  const tried: Tried[] = []
  for (const [path, operations] of Object.entries((document as Document).paths)) {
    // The domains of the cloud are everybody's.
    if (!path.includes('{') || path.startsWith('/v1/cloud/')) continue
    for (const [method, operation] of Object.entries(operations)) {
      const of = (ids: Ids) => {
        const body = Object.values(operation.requestBody?.content ?? {})[0]?.example
        return system.call(key, method.toUpperCase(), filled(path, operation, ids), body)
      }
      tried.push({
        operation: `${method.toUpperCase()} ${path}`,
        foreign: await of(ids),
        missing: await of(nobodys),
      })
    }
  }
  return tried
}

/** The answer without what is another for each request. */
export function likeness({ status, body }: Answer): unknown {
  const { error, ...rest } = Object(body)
  return { status, ...rest, error: { ...error, request_id: null } }
}

function filled(path: string, { parameters = [] }: Operation, ids: Ids): string {
  const resource = path.split('/')[2] as keyof Ids
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required)
  const query = needed.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return `${path.replaceAll(/\{\w+\}/g, String(ids[resource]))}${query.length > 0 ? `?${query.join('&')}` : ''}`
}
