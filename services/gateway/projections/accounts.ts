/** ACCOUNTS → read.project and read.key: who may come in, and as whom. */
import type { StreamMessage } from '@tidemark/bus/read'
import { AccountEvent } from '@tidemark/contracts/account'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type Data<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

const needs = {
  ProjectCreated: ['projectId', 'name', 'tier', 'unlimited'],
  ProjectProxySet: ['projectId'],
  KeyCreated: ['projectId', 'prefix', 'hash', 'label', 'createdAt', 'expiresAt'],
  KeysSuperseded: ['prefixes', 'expiresAt'],
  KeyRevoked: ['prefix', 'revokedAt'],
} as const

export function accountsProjection(report: Report) {
  const read = commitReader<AccountEvent>(AccountEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const projects: Data<'ProjectCreated'>[] = []
    const keys: Data<'KeyCreated'>[] = []
    const proxies: Data<'ProjectProxySet'>[] = []
    const ends: (Data<'KeysSuperseded'> | Data<'KeyRevoked'>)[] = []
    for (const { event } of read(messages)) {
      if (event.type === 'ProjectCreated') projects.push(event.data)
      else if (event.type === 'KeyCreated') keys.push(event.data)
      else if (event.type === 'ProjectProxySet') proxies.push(event.data)
      else ends.push(event.data)
    }
    if (projects.length > 0) await client.query(insertProjects, columns(projectTable, projects))
    if (keys.length > 0) await client.query(insertKeys, columns(keyTable, keys))
    for (const { projectId, proxy } of proxies) await client.query(setProxy, [projectId, proxy])
    for (const end of ends) {
      if ('revokedAt' in end) await client.query(revokeKey, [end.prefix, end.revokedAt])
      else await client.query(endKeys, [end.prefixes, end.expiresAt])
    }
  }
}

const projectTable: Table<Data<'ProjectCreated'>> = [
  ['id', 'bigint', project => project.projectId],
  ['name', 'text', project => project.name],
  ['tier', 'text', project => project.tier],
  ['unlimited', 'boolean', project => project.unlimited],
]

const insertProjects = `
  insert into read.project (id, name, tier, unlimited)
  select id, name, tier, unlimited from ${unnest(projectTable, 'project')}
  on conflict (id) do nothing`

const setProxy = `update read.project set proxy = $2 where id = $1`

const keyTable: Table<Data<'KeyCreated'>> = [
  ['prefix', 'text', key => key.prefix],
  ['hash', 'text', key => key.hash],
  ['project_id', 'bigint', key => key.projectId],
  ['label', 'text', key => key.label],
  ['created_at', 'timestamptz', key => key.createdAt],
  ['expires_at', 'timestamptz', key => key.expiresAt],
]

const insertKeys = `
  insert into read.key (prefix, hash, project_id, label, created_at, expires_at)
  select prefix, hash, project_id, label, created_at, expires_at from ${unnest(keyTable, 'key')}
  on conflict (prefix) do nothing`

const endKeys = `update read.key set expires_at = $2 where prefix = any($1)`
const revokeKey = `update read.key set revoked_at = $2 where prefix = $1`
