/** Writes a call of the API as curl, TypeScript and Python, for the reader to copy. */
import { type OperationId, operations } from '@tidemark/sdk'

export type Call = {
  id: OperationId
  path?: Record<string, string | number>
  query?: Record<string, string | number | undefined>
  body?: Record<string, unknown>
}

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** The method of each operation in TypeScript. In Python it is the same, in snake_case. */
const methods: Partial<Record<OperationId, string>> = {
  startCrawl: 'crawls.start',
  listCrawls: 'crawls.list',
  getCrawl: 'crawls.get',
  estimateCrawl: 'crawls.estimate',
  shareCrawl: 'crawls.share',
  getCoverage: 'crawls.coverage',
  listErrors: 'crawls.errors',
  explainUrl: 'crawls.explain',
  listPages: 'crawls.pages',
  listLinks: 'crawls.links',
  listOrphans: 'crawls.orphans',
  auditSite: 'actors.auditSite',
  analyseLinkGraph: 'actors.internalLinkGraph',
  getPage: 'pages.get',
  diffCrawls: 'crawls.diff',
  diffPage: 'crawls.diffPage',
  listDeliveries: 'crawls.deliveries',
  listMonitors: 'monitors.list',
  listMonitorRuns: 'monitors.runs',
  testWebhook: 'webhooks.test',
  scanPage: 'scan',
  cloudScrape: 'cloud.scrape',
  cloudUnblock: 'cloud.unblock',
  cloudRender: 'cloud.render',
  cloudProxyFetch: 'cloud.proxyFetch',
  getUsage: 'account.usage',
  listLedger: 'account.ledger',
  listLogs: 'account.logs',
  listKeys: 'keys.list',
}

/** Returns the name of the method. A crawl with a schedule is a monitor, which both clients create by another method. */
const methodOf = ({ id, body }: Call): string =>
  id === 'startCrawl' && body?.cron !== undefined ? 'monitors.create' : (methods[id] ?? id)

/** Operations whose TypeScript method takes `url` as an argument after the ids, not as a field of an object. */
const withUrlArgument = new Set<OperationId>(['explainUrl', 'diffPage'])

export const snippetOf = (call: Call, language: Language): string =>
  language === 'curl' ? curlOf(call) : language === 'TypeScript' ? typescriptOf(call) : pythonOf(call)

function curlOf({ id, path = {}, query = {}, body }: Call): string {
  const { method, path: template } = operations[id]
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])))
  const pairs = given(query).map(([name, value]) => [name, String(value)])
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} "${location.origin}${filled}${search}"`,
    '-H "Authorization: Bearer $TIDEMARK_API_KEY"',
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`]),
  ]
  return parts.join(' \\\n  ')
}

function typescriptOf(written: Call): string {
  const { id, path = {}, query = {}, body } = written
  const { url, ...rest } = query
  const isUrlFirst = withUrlArgument.has(id)
  const named = Object.fromEntries(given(isUrlFirst ? rest : query))
  const values = [
    ...Object.values(path),
    ...(isUrlFirst ? [url] : []),
    ...(body !== undefined ? [body] : []),
    ...(Object.keys(named).length > 0 ? [named] : []),
  ]
  const call = `await tidemark.${methodOf(written)}(${values.map(literal).join(', ')})`
  return `import { Tidemark } from '@tidemark/sdk'\n\nconst tidemark = new Tidemark({ baseUrl: '${location.origin}' })\nconsole.log(${call})`
}

const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
        .replace(/"(\w+)":/g, ' $1: ')
        .replace(/}$/, ' }')

/** Lists that have all items in their first part. */
const unpagedLists = new Set<OperationId>(['listKeys', 'listMonitors', 'listOrphans'])

/** The methods of lists request nothing in Python until their result is read. */
const isList = (id: OperationId): boolean => 'pagedBy' in operations[id] || unpagedLists.has(id)

function pythonOf(written: Call): string {
  const { id, path = {}, query = {}, body = {} } = written
  const named = given({ ...query, ...body }).map(([name, value]) => `${name}=${pythonLiteral(value)}`)
  const values = [...Object.values(path).map(pythonLiteral), ...named]
  const first = isList(id) ? '.first()' : ''
  const method = methodOf(written).replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return `from tidemark import Tidemark\n\nwith Tidemark(base_url="${location.origin}") as client:\n    print(client.${method}(${values.join(', ')})${first})`
}

const pythonLiteral = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value)

const given = <T>(values: Record<string, T>) =>
  Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
