/** Types of the rules that check the fields of a crawl request against each other, the project and the installation. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { Tier } from '@tidemark/contracts/primitives'

/** The proxy pools of this installation. */
export type ProxyPools = {
  /** Returns each pool with its countries, such as `isp (DE, US)`; empty without pools. */
  names(): string[]
}

export type FieldRuleContext = {
  /** The fields that the client sent, without defaults. */
  sentFields: ReadonlySet<string>
  tier: Tier
  /** The capabilities of this installation. */
  pools: ProxyPools
}

/** Returns the effective request, reports ignored fields, and throws `ApiProblem` (`invalid_input`). */
export type FieldRule = (
  request: CrawlRequest,
  context: FieldRuleContext,
  warn: (warning: string) => void,
) => CrawlRequest

/** Fields without a default, which may be missing. */
type Optional = {
  [F in keyof CrawlRequest]-?: undefined extends CrawlRequest[F] ? F : never
}[keyof CrawlRequest]

/** Returns the request without these fields. */
export function without(request: CrawlRequest, ...fields: Optional[]): CrawlRequest {
  const left = { ...request }
  for (const field of fields) delete left[field]
  return left
}
