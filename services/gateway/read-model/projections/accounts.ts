/** ACCOUNTS → read.project and read.key: projects and their keys. */
import type { StreamMessage } from '@tidemark/bus/read'
import { AccountEvent, changedEnds } from '@tidemark/contracts/account'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type Data<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

const needs = {
  ProjectCreated: ['projectId', 'name', 'tier', 'unlimited'],
  ProjectProxySet: ['projectId'],
  ProjectTierSet: ['projectId', 'tier', 'unlimited'],
  ProjectCapsSet: ['projectId', 'caps'],
  ProjectCloudModeSet: ['projectId', 'cloudMode'],
  ProjectSharesEnded: ['projectId', 'ended'],
  CrawlSharesEnded: ['projectId', 'runId', 'at', 'everyRun', 'forgotten'],
  KeyCapsSet: ['prefix', 'caps'],
  KeyCreated: ['projectId', 'prefix', 'hash', 'label', 'createdAt', 'expiresAt'],
  KeysSuperseded: ['prefixes', 'expiresAt'],
  KeyRevoked: ['prefix', 'revokedAt'],
} as const

export function accountsProjection(report: Report) {
  const read = commitReader<AccountEvent>(AccountEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const projects: Data<'ProjectCreated'>[] = []
    const keys: Data<'KeyCreated'>[] = []
    const changes: [sql: string, values: unknown[]][] = []
    for (const { event } of read(messages)) {
      if (event.type === 'ProjectCreated') projects.push(event.data)
      else if (event.type === 'KeyCreated') keys.push(event.data)
      else changes.push(...changeOf(event))
    }
    if (projects.length > 0) await client.query(insertProjects, columns(projectTable, projects))
    if (keys.length > 0) await client.query(insertKeys, columns(keyTable, keys))
    for (const [sql, values] of changes) await client.query(sql, values)
  }
}

/** Events are few, so each is a statement of its own, in their order. */
function changeOf({ type, data }: AccountEvent): [sql: string, values: unknown[]][] {
  switch (type) {
    case 'ProjectProxySet':
      return [[setProxy, [data.projectId, data.proxy]]]
    case 'ProjectTierSet':
      return [[setTier, [data.projectId, data.tier, data.unlimited]]]
    case 'ProjectCapsSet':
      return [[setCaps, [data.projectId, data.caps]]]
    case 'ProjectCloudModeSet':
      return [[setCloudMode, [data.projectId, data.cloudMode]]]
    case 'ProjectSharesEnded':
      return [[setSharesEnded, [data.projectId, data.ended]]]
    case 'CrawlSharesEnded':
      return [[changeEnds, [data.projectId, ...changedEnds(data)]]]
    case 'KeyCapsSet':
      return [[setKeyCaps, [data.prefix, data.caps]]]
    case 'KeysSuperseded':
      return [[endKeys, [data.prefixes, data.expiresAt]]]
    case 'KeyRevoked':
      return [[revokeKey, [data.prefix, data.revokedAt]]]
    default:
      return []
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
const setTier = `update read.project set tier = $2, unlimited = $3 where id = $1`
const setCaps = `update read.project set caps = $2 where id = $1`
const setCloudMode = `update read.project set cloud_mode = $2 where id = $1`
const setSharesEnded = `update read.project set shares_ended = $2 where id = $1`
const changeEnds = `
  update read.project set shares_ended = (coalesce(shares_ended, '{}') - $2::text[]) || $3::jsonb where id = $1`
const setKeyCaps = `update read.key set caps = $2 where prefix = $1`

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
