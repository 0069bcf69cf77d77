/**
 * Our own documentation for programs: `/llms.txt` lists the documents, `/llms-full.txt` contains them (llmstxt.org). The
 * documents are those of the folder docs/, and links to files that are not served become plain text.
 */

/** Documents by their path below docs/, such as `api/crawl.md`. */
export type Documents = ReadonlyMap<string, string>

const summary =
  'Tidemark crawls web sites, stores every result and explains it. It is a REST API with clients for TypeScript, Python, the command line and agents (MCP).'

/** The documents in their order. The last section can be left out (llmstxt.org, "Optional"). */
export const sections: readonly (readonly [title: string, documents: readonly string[]])[] = [
  [
    'Start',
    [
      'quickstart.md',
      'five-lines.md',
      'typescript.md',
      'python.md',
      'command-line.md',
      'console.md',
      'mcp.md',
    ],
  ],
  [
    'API',
    [
      ...['README', 'crawl', 'read', 'export', 'export-formats', 'monitor', 'scan', 'cloud'],
      ...['actors', 'account', 'webhooks', 'errors'],
    ].map(name => `api/${name}.md`),
  ],
  [
    'Coming from another program',
    ['firecrawl', 'crawlee', 'screaming-frog', 'changedetection'].map(name => `coming-from/${name}.md`),
  ],
  [
    'Operation',
    [
      ...['operating.md', 'operator.md', 'deploying.md', 'operations.md', 'configuration.md', 'capacity.md'],
      ...['signed-requests.md', 'evidence.md'],
    ],
  ],
  ['Optional', ['audit-rules.md', 'architecture.md', 'benchmarks.md', 'testing.md', 'recipes.md']],
]

const listed = sections.flatMap(([, documents]) => documents)
const link = /\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g
const external = /^[a-z]+:/

/** Returns a document whose links to files that are not served are plain text. */
export function servedText(path: string, documents: Documents): string {
  return (documents.get(path) ?? '').replace(link, (whole, text, target) => {
    const { pathname } = new URL(target, `file:///docs/${path}`)
    return documents.has(pathname.replace(/^\/docs\//, '')) ? whole : text
  })
}

/** Returns `/llms.txt`. */
export function llmsTxt(documents: Documents): string {
  const parts = sections.map(([title, paths]) => {
    const lines = paths
      .filter(path => documents.has(path))
      .map(path => `- [${titleOf(documents.get(path) ?? '')}](/docs/${path})`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const reference =
    '## Reference\n\n- [OpenAPI document](/openapi.json)\n- [Postman collection](/postman.json)\n'
  return [`# Tidemark\n\n> ${summary}\n`, ...parts.slice(0, -1), reference, ...parts.slice(-1)].join('\n')
}

/** Returns `/llms-full.txt`: all listed documents, with links that work wherever the text is. */
export const llmsFullTxt = (documents: Documents): string =>
  [
    `# Tidemark\n\n> ${summary}\n`,
    ...listed.filter(path => documents.has(path)).map(path => rooted(servedText(path, documents), path)),
  ].join('\n')

/** Makes the links of a document absolute paths. */
const rooted = (text: string, path: string): string =>
  text.replace(link, (whole, label, target) => {
    if (external.test(target)) return whole
    const { pathname, hash } = new URL(target, `file:///docs/${path}`)
    return `[${label}](${pathname}${hash})`
  })

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled'
