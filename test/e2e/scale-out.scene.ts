/**
 * The environment of a system of many processes: a slow site, a receiver that counts webhooks, and readings of each
 * process's metrics.
 */
import { createServer, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '@tidemark/testing/listening'
import pg from 'pg'
import type { Test } from 'tap'
import { ownWords } from './own-words.ts'
import type { Process } from './probes.ts'
import type { System } from './system.ts'

/**
 * Starts a site with a front page that links to all other pages. Each responds after `answerMs`. `hits` counts the
 * requests by path.
 */
export async function startSlowSite(pages: number, answerMs: number) {
  const hits = new Map<string, number>()
  const links = Array.from({ length: pages - 1 }, (_, n) => `<a href="/p${n}">${n}</a>`).join(' ')
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    hits.set(path, (hits.get(path) ?? 0) + 1)
    const isPage = path === '/' || /^\/p\d+$/.test(path)
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' })
    const body = `<title>${path}</title><p>${ownWords(path)}</p>${links}`
    setTimeout(() => response.end(body), answerMs)
  })
  return { hits, ...(await listening(server, '127.1.0.1')) }
}

/** Starts a receiver of webhooks. `webhooks` counts them by id of the delivery. */
export async function startReceiver() {
  const webhooks = new Map<string, number>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const id = String(request.headers['webhook-id'])
      webhooks.set(id, (webhooks.get(id) ?? 0) + 1)
      response.end()
    })
  })
  return { webhooks, ...(await listening(server, '127.1.0.7')) }
}

/** Connects to the database of the system until the test ends, to read bills and the owners of shards. */
export async function databaseOf(t: Test, system: System) {
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  t.teardown(() => client.end())
  return {
    client,
    async unitsBilled(): Promise<number> {
      const { rows } = await client.query<{ units: number }>(
        `select count(*)::int as units from ledger.unit where kind = 'page'`,
      )
      return rows[0]?.units ?? 0
    },
    /** Returns the owner of each shard, in one entry per shard. The entry is empty if the shard has no owner. */
    async owners(): Promise<string[]> {
      const { rows } = await client.query<{ owner: string | null }>(
        'select owner from coordinator.shard_lease',
      )
      return rows.map(({ owner }) => owner ?? '')
    },
  }
}

/** Returns for each process the sum of all series of a metric whose labels contain the given text. */
export const countedIn = (processes: readonly Process[], metric: string, labels = ''): Promise<number[]> =>
  Promise.all(
    processes.map(async ({ metrics }) => {
      const text = await (await fetch(String(metrics))).text()
      const series = text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? ([\\d.e+-]+)$`, 'gm'))
      return [...series]
        .filter(([, given = '']) => given.includes(labels))
        .reduce((sum, [, , value]) => sum + Number(value), 0)
    }),
  )

/** Uses a new connection, so that any gateway may respond. */
export function callOnNewConnection(base: string, key: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get(`${base}${path}`, { agent: false, headers }, response => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })
}

/**
 * Kills the processes of these names in run.json with SIGKILL, and also their restarted successors, until it is
 * disposed of. Resolves after the first kills.
 */
export async function keepDead(system: System, names: readonly string[]) {
  const killed = new Set<number>()
  let isOver = false
  const strike = async () => {
    const { processes } = await system.runFile()
    for (const { name, pid } of processes) {
      if (!names.includes(name) || pid === null || killed.has(pid)) continue
      killed.add(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
  await strike()
  const ended = (async () => {
    for (; !isOver; await sleep(20)) await strike()
  })()
  return {
    killed,
    async [Symbol.asyncDispose]() {
      isOver = true
      await ended
    },
  }
}
