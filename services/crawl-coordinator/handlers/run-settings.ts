/**
 * Returns the settings of a run for a fork of it, from its events in its stream or archive. A run of another project is
 * treated as missing, and none of it is read.
 */
import type { GetRunSettings, GetRunSettingsResponse } from '@tidemark/contracts/rpc/runs'
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import { fairReads } from '../concurrency/fair-reads.ts'
import { eventsOf } from '../domain/events-of.ts'
import { readRun } from './fold-run.ts'
import { statusOf } from './last-commit.ts'
import { cachedByRun } from './run-cache.ts'

type Ports = { store: Pick<EventStore, 'last' | 'read'>; admissions: Pick<Admissions, 'find'> }

type Read = { first: RunEvent | null; last: RunCommit | null; pages: number }

/** Settings may have two megabytes of addresses. */
const maxCached = 5

/** Returns the handler. Secrets of the settings stay sealed. */
export function getRunSettings({ store, admissions }: Ports) {
  const cache = { max: maxCached, fairly: fairReads() }
  const fromStream = cachedByRun(store, cache, async ({ runId }) => {
    const read: Read = { first: null, last: null, pages: 0 }
    const version = await readRun(store, runId, ({ commit }) => {
      read.first ??= eventsOf(commit)[0] ?? null
      read.last = commit
      for (const { type, data } of commit.events)
        if (type === 'PagesSettled') read.pages += data.pages.filter(({ blocked }) => !blocked).length
    })
    return { version, value: foundIn(read) }
  })
  return async ({ projectId, runId }: GetRunSettings): Promise<GetRunSettingsResponse> => {
    const admission = await admissions.find(runId)
    return { found: admission?.projectId === projectId ? await fromStream({ projectId, runId }) : null }
  }
}

function foundIn({ first, last, pages }: Read): GetRunSettingsResponse['found'] {
  const status = last && statusOf(last)
  if (first?.type !== 'RunQueued' || status === null || status === 'deleted') return null
  return { url: first.data.url, status, settings: first.data.settings, pages }
}
