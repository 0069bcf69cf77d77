/** The projects that send the load, each with a finished crawl. */
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { PageItem } from '@tidemark/contracts/http/pages'
import { run as createProject } from '../../deploy/admin/create-project.ts'
import type { System } from '../e2e/system.ts'
import type { Tenant } from './requests.ts'

/** One tenant in ten has the rate limit of its tier. */
const limitedOneIn = 10
const atOnce = 8

export async function makeTenants(system: System, count: number, siteUrl: string): Promise<Tenant[]> {
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  const tenants: Tenant[] = []
  const make = async () => {
    for (const n of numbers) tenants.push(await makeTenant(system, n, siteUrl))
  }
  await Promise.all(Array.from({ length: atOnce }, make))
  return tenants
}

async function makeTenant(system: System, n: number, siteUrl: string): Promise<Tenant> {
  const isLimited = n % limitedOneIn === 0
  const more = isLimited ? [] : ['--unlimited']
  const { api_key: key } = await createProject(
    ['--name', `load-${n}`, '--tier', 'agency', ...more],
    system.dir,
  )
  const run: RunView = await system.crawl(key, { url: siteUrl, max_pages: 20, delay_ms: 0 })
  const { body } = await system.call(key, 'GET', `/v1/crawls/${run.id}/pages?limit=20`)
  return { key, runId: run.id, pageIds: body.items.map(({ id }: PageItem) => id) }
}
