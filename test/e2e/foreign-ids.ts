/**
 * Calls every operation of the API reference that takes an id, with ids of another project and with ids that do not
 * exist. The responses must be indistinguishable. New operations are covered automatically.
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

/** By resource, the path segment after /v1. */
type Ids = { crawls: number; pages: number; crons: number; keys: string }

export type Tried = { operation: string; foreign: Answer; missing: Answer }

/** Returns ids of the first project of an instance: its sample crawl and a monitor that this creates. */
export async function idsOfFirstProject(system: System): Promise<Ids> {
  const first = JSON.parse(await readFile(join(system.dir, 'first-key.json'), 'utf8'))
  const monitor = { url: 'https://example.com/', cron: '0 3 * * *' }
  const { body } = await system.call(first.api_key, 'POST', '/v1/crawls', monitor)
  return { crawls: first.run.id, pages: first.run.page, crons: body.monitor_id, keys: first.prefix }
}

/** Calls the operations with the key of another project. */
export async function tryForeignIds(system: System, key: string, ids: Ids): Promise<Tried[]> {
  const { body: document } = await system.call(null, 'GET', '/openapi.json')
  const nonexistent: Ids = {
    crawls: 987_654_321,
    pages: 987_654_321,
    crons: 987_654_321,
    keys: 'tmk_00000000',
  }
  const tried: Tried[] = []
  for (const [path, operations] of Object.entries((document as Document).paths)) {
    // The domains of the cloud belong to no project.
    if (!path.includes('{') || path.startsWith('/v1/cloud/')) continue
    for (const [method, operation] of Object.entries(operations)) {
      const of = (ids: Ids) => {
        const body = Object.values(operation.requestBody?.content ?? {})[0]?.example
        return system.call(key, method.toUpperCase(), filled(path, operation, ids), body)
      }
      tried.push({
        operation: `${method.toUpperCase()} ${path}`,
        foreign: await of(ids),
        missing: await of(nonexistent),
      })
    }
  }
  return tried
}

/** Returns the response without the parts that differ per request. */
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
