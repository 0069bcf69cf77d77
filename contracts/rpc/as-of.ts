/**
 * Requests to crawl-coordinator about a run as it was at an earlier time. Null: the project has no such run. 404
 * `before_crawl`: the time is before its first event.
 */
import { type Static, Type } from 'typebox'
import { Coverage } from '../http/coverage.ts'
import { RunView } from '../http/crawls.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { GetCoverage, ListErrors, ListErrorsResponse } from './explain.ts'
import { rpc } from './rpc.ts'

const at = { asOf: Timestamp }

export const GetRunAsOf = Type.Object({ ...GetCoverage.properties, ...at })
export type GetRunAsOf = Static<typeof GetRunAsOf>

export const GetRunAsOfResponse = Type.Object({ run: orNull(RunView) })
export type GetRunAsOfResponse = Static<typeof GetRunAsOfResponse>

/** The pages that the run had then are those up to `lastPageId`; 0: none. */
export const GetCoverageAsOfResponse = Type.Object({
  found: orNull(Type.Object({ coverage: Coverage, lastPageId: Type.Union([Id, Type.Literal(0)]) })),
})
export type GetCoverageAsOfResponse = Static<typeof GetCoverageAsOfResponse>

export const ListErrorsAsOf = Type.Object({ ...ListErrors.properties, ...at })
export type ListErrorsAsOf = Static<typeof ListErrorsAsOf>

export const getRunAsOf = rpc({
  subject: 'ask.runs.get-as-of',
  request: GetRunAsOf,
  response: GetRunAsOfResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const getCoverageAsOf = rpc({
  subject: 'ask.runs.coverage-as-of',
  request: GetRunAsOf,
  response: GetCoverageAsOfResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const listErrorsAsOf = rpc({
  subject: 'ask.runs.errors-as-of',
  request: ListErrorsAsOf,
  response: ListErrorsResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})
