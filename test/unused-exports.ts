/**
 * Finds functions and values that are exported although no other file imports them, and those that only tests import.
 * Types are excepted, because they belong to the exports that use them. Errors are excepted, because callers may check
 * for their class. Modules that are loaded by a computed name are excepted, too.
 */
import { isProduction, type Source } from './architecture.ts'

const exported = /^export (?:async )?(?:function\*?|const|let|class) (\w+)(?: extends \w*Error\b)?/gm
const isError = / extends \w*Error$/
/** Loaded by the files that `computedImports` names. */
const loadedByName =
  /^services\/(?:[^/]+\/(?:service|database|egress-service)|extractor\/domain\/scrapers\/[^/]+\/.+)\.ts$/

/**
 * Exports of contracts, libs and services that only tests use: constants that tests compare with, and functions that
 * they call directly. Add none: test what production code uses.
 */
export const allowedForTests: ReadonlySet<string> = new Set([
  'contracts/account.ts AccountCommit',
  'contracts/account.ts IntentCommit',
  'contracts/delivery.ts DeliveryCommit',
  'contracts/http/scan-batch.ts BatchItem',
  'contracts/rpc/scrapers.ts Scraper',
  'contracts/served.ts ServedEvent',
  'libs/browser/flags.ts proxyBypass',
  'libs/browser/render-error.ts renderCodes',
  'libs/chunks/blocks.ts titleOf',
  'libs/config/settings.ts variableOf',
  'libs/content/settings.ts endpointFault',
  'libs/db/migrate.ts migrationClass',
  'libs/export/wacz/capture-index.ts searchKey',
  'libs/html/article/main-content.ts mainContent',
  'libs/html/signals/signals.ts jsonLdTypes',
  'libs/http-signatures/signature.ts signatureBase',
  'libs/http/hosts-file.ts namesIn',
  'libs/http/resolve.ts createResolver',
  'libs/redis/rates.ts take',
  'libs/redis/rates.ts ownBuckets',
  'libs/sitemap/sitemap.ts readSitemap',
  'libs/telemetry/propagator.ts traceparent',
  'libs/url/pattern-limits.ts maxPatternWeight',
  'services/auth-billing/domain/ended-shares.ts maxEnded',
  'services/auth-billing/domain/payment-signature.ts toleranceSeconds',
  'services/crawl-coordinator/domain/orders.ts isWaited',
  'services/crawl-coordinator/policies/monitor-stream.ts lastMs',
  'services/crawl-coordinator/concurrency/fair-reads.ts maxOfProject',
  'services/extractor/domain/actors/audit/rules.ts areas',
  'services/extractor/wiring/run-reading.ts lockOfReading',
  'services/gateway/actors/check-links/domain/link-list.ts anchorIn',
  'services/gateway/actors/site-audit/domain/rules/table.ts siteAreas',
  'services/gateway/http/plugins/body-budget.ts smallBody',
  'services/gateway/operations/adapters/measure-readiness.ts readinessOf',
  'services/gateway/operations/adapters/readiness.ts judgeHeartbeats',
  'services/gateway/read-model/adapters/runs-as-of.ts hasPageBy',
  'services/scheduler/domain/due.ts spreadOf',
  'services/usage-ledger/policies/sweep-reservations.ts sweepExpired',
  'services/webhook/domain/notice.ts firstNoticeId',
  'services/webhook/policies/sweep-attempts.ts forgetAttempts',
])

/** An export, and the files that name its file and contain its name. */
type Export = { path: string; name: string; users: readonly Source[] }

/** Returns a sentence for each export that no other file uses. */
export const unusedExports = (sources: readonly Source[]): string[] =>
  exportsOf(sources)
    .filter(({ users }) => users.length === 0)
    .map(({ path, name }) => `${path} exports ${name}, which no other file imports`)

/** Returns the exports of contracts, libs and services that only tests use, each as its path and its name. */
export const exportsForTests = (sources: readonly Source[]): string[] =>
  exportsOf(sources)
    .filter(({ path, users }) => isOfProduct(path) && users.length > 0 && !users.some(isUsed))
    .map(({ path, name }) => `${path} ${name}`)

const isOfProduct = (path: string): boolean =>
  isProduction(path) && /^(?:contracts|libs|services)\//.test(path)
const isUsed = ({ path }: Source): boolean => isProduction(path)

function exportsOf(sources: readonly Source[]): Export[] {
  const naming = new Map<string, Source[]>()
  for (const source of sources)
    for (const [, base = ''] of source.text.matchAll(/\/([\w.-]+?)(?:\.tsx?)?['"]/g))
      naming.set(base, [...(naming.get(base) ?? []), source])
  return sources
    .filter(({ path }) => !loadedByName.test(path))
    .flatMap(({ path, text }) => {
      const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.tsx?$/, '')
      const others = new Set((naming.get(base) ?? []).filter(other => other.text !== text))
      return [...text.matchAll(exported)]
        .filter(([statement]) => !isError.test(statement))
        .map(([, name = '']) => {
          const word = new RegExp(`\\b${name}\\b`)
          return { path, name, users: [...others].filter(other => word.test(other.text)) }
        })
    })
}
