/** Requests to crawl-coordinator about the decisions of a run for its URLs. Null: the project has no such run. */
import { type Static, Type } from 'typebox'
import { Coverage } from '../http/coverage.ts'
import { HostFacts } from '../http/crawl-policy.ts'
import { RunErrorList } from '../http/errors.ts'
import { Explanation } from '../http/explain.ts'
import { Id, orNull, UrlKey } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** Time for which callers wait for a response. The server may have to read a long run from its first event. */
export const explainTimeoutMs = 20_000

const ofRun = {
  projectId: Id,
  runId: Type.Integer(),
  /** A reader of a share sends the request. These readers have slots of their own; absent: a key of the project. */
  isShared: Type.Optional(Type.Literal(true)),
}

export const GetCoverage = Type.Object(ofRun)
export type GetCoverage = Static<typeof GetCoverage>

export const GetCoverageResponse = Type.Object({ coverage: orNull(Coverage) })
export type GetCoverageResponse = Static<typeof GetCoverageResponse>

export const ListErrors = Type.Object({
  ...ofRun,
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ListErrors = Static<typeof ListErrors>

export const ListErrorsResponse = Type.Object({ errors: orNull(RunErrorList) })
export type ListErrorsResponse = Static<typeof ListErrorsResponse>

/** `url` is in normal form. */
export const ExplainUrl = Type.Object({ ...ofRun, url: Type.String() })
export type ExplainUrl = Static<typeof ExplainUrl>

/** The run does not know the anchor: `foundOn` names the page that contains it. */
export const ExplainUrlResponse = Type.Object({
  explanation: orNull(Explanation),
  foundOn: orNull(Type.Object({ key: UrlKey, url: Type.String() })),
})
export type ExplainUrlResponse = Static<typeof ExplainUrlResponse>

export const getCoverage = rpc({
  subject: 'ask.runs.coverage',
  request: GetCoverage,
  response: GetCoverageResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const listErrors = rpc({
  subject: 'ask.runs.errors',
  request: ListErrors,
  response: ListErrorsResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const explainUrl = rpc({
  subject: 'ask.runs.explain',
  request: ExplainUrl,
  response: ExplainUrlResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

/** The settings of the run, and a part of its hosts. */
export const GetHostsResponse = Type.Object({
  hosts: orNull(
    Type.Object({
      respectRobots: Type.Boolean(),
      userAgent: orNull(Type.String()),
      delayMs: Type.Integer(),
      items: Type.Array(HostFacts),
      next_offset: orNull(Type.Integer()),
    }),
  ),
})
export type GetHostsResponse = Static<typeof GetHostsResponse>

export const getHosts = rpc({
  subject: 'ask.runs.hosts',
  request: ListErrors,
  response: GetHostsResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})
