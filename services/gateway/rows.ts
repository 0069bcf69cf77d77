/** The read model's rows. Hot statements are plain SQL; these say what the tables are. */
import { defineEntity, p } from '@mikro-orm/core'

const schema = 'read'

export const RunRow = defineEntity({
  name: 'RunRow',
  tableName: 'run',
  schema,
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    projectId: p.bigint('number'),
    url: p.text(),
    status: p.text(),
    pageCount: p.integer().default(0),
    errorCount: p.integer().default(0),
    enqueuedAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    errorMessage: p.text().nullable(),
    stopReason: p.text().nullable(),
    discovered: p.integer().nullable(),
    skipped: p.integer().nullable(),
    duplicate: p.integer().nullable(),
    notReached: p.integer().nullable(),
    pending: p.integer().nullable(),
    webhookStatus: p.text().nullable(),
    webhookAttempts: p.integer().default(0),
    webhookLastError: p.text().nullable(),
    previousRunId: p.bigint('number').nullable(),
    proxyUrl: p.text().nullable(),
    traceId: p.text().nullable(),
    aiBotPolicy: p.json<Record<string, string>>().nullable(),
    llmsTxt: p.text().nullable(),
    llmsFullTxt: p.text().nullable(),
  },
})

export const PageRow = defineEntity({
  name: 'PageRow',
  tableName: 'page',
  schema,
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    runId: p.bigint('number'),
    projectId: p.bigint('number'),
    urlKey: p.text(),
    url: p.text(),
    requestedUrl: p.text().nullable(),
    status: p.integer(),
    bytes: p.bigint('number'),
    depth: p.integer(),
    fetchedAt: p.datetime(),
    contentType: p.text().nullable(),
    title: p.text().nullable(),
    contentHash: p.text(),
    rawHash: p.text(),
    blocked: p.boolean().default(false),
  },
})

export const ProjectRow = defineEntity({
  name: 'ProjectRow',
  tableName: 'project',
  schema,
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    name: p.text(),
    tier: p.text(),
    unlimited: p.boolean(),
  },
})

export const KeyRow = defineEntity({
  name: 'KeyRow',
  tableName: 'key',
  schema,
  properties: {
    prefix: p.text().primary(),
    hash: p.text(),
    projectId: p.bigint('number'),
    label: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})
