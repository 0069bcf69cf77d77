/** Searches everything that a system has stored for secrets: files, tables and Redis. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { System } from './system.ts'

/** Secrets by a name for findings, each in all its spellings. */
export type Secrets = Map<string, Buffer[]>

/** Returns the secret as text and in base64, as in HTTP Basic authentication. */
export const spellings = (secret: string): Buffer[] => [
  Buffer.from(secret),
  Buffer.from(Buffer.from(secret).toString('base64').replaceAll('=', '')),
]

/** Returns a line for each secret that these bytes contain. */
export const foundIn = (secrets: Secrets, location: string, bytes: Buffer): string[] =>
  [...secrets].flatMap(([name, spelled]) =>
    spelled.some(secret => bytes.includes(secret)) ? [`${name} in ${location}`] : [],
  )

/** Returns the secrets that an installation creates for itself: its keys, and the passwords of its servers. */
export async function ownSecrets(system: System): Promise<Secrets> {
  const { postgres, nats } = await system.runFile()
  const read = async (name: string) => (await readFile(join(system.dir, name), 'utf8')).trim()
  return new Map([
    ['the sealing key', spellings(await read('secrets.key'))],
    ['the key of evidence', spellings(await read('evidence.key'))],
    ['the key of passwords', spellings(await read('passwords.key'))],
    ['the password of Postgres', spellings(new URL(postgres.url).password)],
    ['the password of NATS', spellings(new URL(nats.url).password)],
  ])
}

/** Only the user who started the system can read these files, which are meant to have secrets. */
const secretFiles = new Set([
  ...['first-key.json', 'secrets.key', 'passwords.key', 'evidence.key'],
  ...['run.json', 'nats.conf'],
])

/** Searches every file of the system, except the files for secrets. */
export async function inFiles(dir: string, secrets: Secrets): Promise<string[]> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const file of files.filter(file => file.isFile() && !secretFiles.has(file.name))) {
    const bytes = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0))
    found.push(...foundIn(secrets, file.name, bytes))
  }
  return found
}

/** Searches every row of every table. */
export async function inTables(system: System, secrets: Secrets): Promise<string[]> {
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  const { rows: tables } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query(`select row::text as text from ${name} as row`)
    found.push(...foundIn(secrets, name, Buffer.from(rows.map(({ text }) => text).join('\n'))))
  }
  await client.end()
  return found
}

/** Searches every value in Redis. */
export async function inRedis(system: System, secrets: Secrets): Promise<string[]> {
  const redis = new Redis((await system.runFile()).redis.url)
  const found: string[] = []
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    const values =
      type === 'hash'
        ? Object.entries(await redis.hgetall(key)).flat()
        : type === 'zset'
          ? await redis.zrange(key, '0', '-1')
          : type === 'set'
            ? await redis.smembers(key)
            : type === 'list'
              ? await redis.lrange(key, 0, -1)
              : [(await redis.getBuffer(key))?.toString('latin1') ?? '']
    found.push(...foundIn(secrets, `Redis ${type}`, Buffer.from([key, ...values].join('\n'), 'latin1')))
  }
  redis.disconnect()
  return found
}
