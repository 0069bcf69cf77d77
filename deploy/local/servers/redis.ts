/** Describes the embedded Redis. Its data may be lost, so it stores nothing on disk. */
import fs from 'node:fs/promises'
import { endingWithParent } from '../processes/parent-death.ts'
import { libraryPath } from './binaries.ts'
import type { Server } from './server.ts'

export type RedisOptions = { program: string; dir: string; port: number; env: NodeJS.ProcessEnv }

export const redisUrl = (port: number): string => `redis://127.0.0.1:${port}`

export async function redisServer({ program, dir, port, env }: RedisOptions): Promise<Server> {
  await fs.mkdir(dir, { recursive: true })
  return {
    name: 'redis',
    url: redisUrl(port),
    port,
    command: [...endingWithParent('TERM'), program, '--port', String(port), '--dir', dir, ...plain],
    env: () => ({ ...env, ...libraryPath(program) }),
    stopSignal: 'SIGTERM',
    graceMs: 2_000,
    probe: { request: 'PING\r\n', answer: /^\+PONG/ },
    readyWithinMs: 30_000,
  }
}

/** The arguments of Redis wherever it runs. It stores nothing on disk. When it is full, it drops keys, which all expire. */
export const redisLimits = [
  ...['--save', '', '--appendonly', 'no'],
  ...['--maxmemory', '256mb', '--maxmemory-policy', 'volatile-lru'],
]

const plain = [
  ...['--bind', '127.0.0.1'],
  ...redisLimits,
  ...['--set-proc-title', 'no'], // its own title would hide the folder, by which a process left behind is recognised
]
