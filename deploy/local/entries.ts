/**
 * Imports the code of each service, for the processes that run it and the job that migrates its schema. The imports are
 * literal, so that the bundle contains them.
 */
import type { StartService } from '@tidemark/config/process'
import type { ServiceName } from '@tidemark/contracts/services'
import type { DatabaseDescription } from '@tidemark/db/database'

type Entry = () => Promise<{ startService: StartService }>

/** `egress` is the fetcher's proxy, if it runs as a process of its own. */
export const entries: Readonly<Record<ServiceName | 'egress', Entry>> = {
  gateway: () => import('@tidemark/gateway/service'),
  projector: () => import('@tidemark/gateway/projector-service'),
  'auth-billing': () => import('@tidemark/auth-billing/service'),
  'crawl-coordinator': () => import('@tidemark/crawl-coordinator/service'),
  fetcher: () => import('@tidemark/fetcher/service'),
  extractor: () => import('@tidemark/extractor/service'),
  scheduler: () => import('@tidemark/scheduler/service'),
  webhook: () => import('@tidemark/webhook/service'),
  'usage-ledger': () => import('@tidemark/usage-ledger/service'),
  egress: () => import('@tidemark/fetcher/egress-service'),
}

/** Returns the schemas of all services that have one. */
export async function databases(): Promise<DatabaseDescription[]> {
  const modules = await Promise.all([
    import('@tidemark/gateway/database'),
    import('@tidemark/auth-billing/database'),
    import('@tidemark/crawl-coordinator/database'),
    import('@tidemark/extractor/database'),
    import('@tidemark/scheduler/database'),
    import('@tidemark/webhook/database'),
    import('@tidemark/usage-ledger/database'),
  ])
  return modules.map(({ database }) => database)
}
