/** The link graph as GEXF 1.3: first the pages, then the links, in two passes over the source. */
import { AddressIndex } from '../address-index.ts'
import type { ExportedPage, ExportSource } from '../page.ts'
import { xmlHead, xmlText } from '../xml.ts'
import { edgesOf, nodesOf } from './edges.ts'

const namespace = 'http://gexf.net/1.3'

/** Attributes of a node: title, type of GEXF and value. A page without the value has no such attribute. */
const attributes: [title: string, type: string, value: (page: ExportedPage) => string | number | null][] = [
  ['url', 'anyURI', ({ url }) => url],
  ['status', 'integer', ({ status }) => status],
  ['depth', 'integer', ({ depth }) => depth],
  ['content_type', 'string', ({ contentType }) => contentType],
]

export async function* gexf(source: ExportSource): AsyncGenerator<string> {
  yield headOf(source)
  const pages = new AddressIndex()
  for await (const page of nodesOf(source, pages)) yield nodeOf(page)
  yield '    </nodes>\n    <edges>\n'
  let id = 0
  for await (const edge of edgesOf(source, pages))
    yield `      <edge id="${id++}" source="${edge.source}" target="${edge.target}" weight="${edge.weight}"/>\n`
  yield '    </edges>\n  </graph>\n</gexf>\n'
}

const headOf = ({ run }: ExportSource): string => `${xmlHead}<gexf xmlns="${namespace}" version="1.3">
  <meta lastmodifieddate="${xmlText(run.finishedAt.slice(0, 10))}">
    <creator>${xmlText(run.software)}</creator>
    <description>Pages of the crawl of ${xmlText(run.url)} and the links between them</description>
  </meta>
  <graph defaultedgetype="directed">
    <attributes class="node">
${attributes.map(([title, type], n) => `      <attribute id="${n}" title="${title}" type="${type}"/>\n`).join('')}    </attributes>
    <nodes>
`

function nodeOf(page: ExportedPage): string {
  const values = attributes.flatMap(([, , read], n) => {
    const value = read(page)
    return value === null ? [] : [`<attvalue for="${n}" value="${xmlText(String(value))}"/>`]
  })
  return `      <node id="${page.id}" label="${xmlText(page.title ?? page.url)}"><attvalues>${values.join('')}</attvalues></node>\n`
}
