import { createServer } from 'node:http'
import { listening } from '@tidemark/testing/listening'
import { test } from 'tap'
import { differences, graphOf, rawPages, type SiteGraph } from './link-graph.ts'

const files: Record<string, string> = {
  '/': `<title><a href=/no></title><!-- <a href="/no"> --><script>"<a href='/no'>"</script>
    <a href=a.html>A</a> <A data-href="/no" HREF='b.html?x=1&amp;y=2#part' rel="ext NoFollow">B</A>
    <a name=top><a href=" #top">top</a><a href="mailto:x@example.com">m</a><a href="http://[">broken</a>
    <a href="//elsewhere.example/x">away</a><abbr href=/no>n</abbr><area href=/dir><a title=">" href=a.html>again</a>`,
  '/a.html': '<base href="/deep/down"><a href="x.html">x</a><a href="/old">old</a><a href="">base</a>',
  '/b.html?x=1&y=2': '<a href="?x=1&y=2">itself</a>',
  '/dir/':
    '<meta http-equiv="Refresh" content="0; URL=/only-refreshed"><a href=/dir>itself, by its other name</a>',
  '/only-refreshed': '<a href=/only-refreshed>itself</a><a href=/>home</a>',
  '/deep/x.html': '',
  '/deep/down': '<a href="/secret" href="/no">s</a>',
  '/new': 'reached by /old',
  '/secret': '',
}
const redirects: Record<string, string> = { '/dir': '/dir/', '/old': '/new' }

test('The independent link graph', async t => {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const to = redirects[path]
    if (to) return response.writeHead(302, { location: to }).end()
    return response.writeHead(path in files ? 200 : 404, { 'content-type': 'text/html' }).end(files[path])
  })
  const { url, close } = await listening(server)
  t.teardown(close)
  const at = (path: string) => url + path

  const pages = await rawPages(at('/'))
  const graph = graphOf(pages, at('/'))

  t.test('has every file once', async t => {
    t.strictSame([...graph.links.keys()].sort(), Object.keys(files).map(at).sort())
  })

  t.test('has the links of a page within its host in order', async t => {
    const to = (path: string) => graph.links.get(at(path))?.map(link => link.to.slice(at('').length))
    t.strictSame(to('/'), ['/a.html', '/b.html?x=1&y=2', '/dir', '/a.html'])
    t.strictSame(
      graph.links.get(at('/'))?.map(({ nofollow }) => nofollow),
      [false, true, false, false],
    )
    t.strictSame(to('/a.html'), ['/deep/x.html', '/old', '/deep/down'])
    t.strictSame(to('/deep/down'), ['/secret'])
    t.strictSame(to('/new'), [])
  })

  t.test('has orphans: pages with links only from a refresh or from themselves', async t => {
    t.strictSame(graph.orphans, [at('/only-refreshed')])
    t.ok(graphOf(pages, at('/a.html')).orphans.length === 1, 'the home page has links')
    const unlinked = pages.filter(({ url }) => url !== at('/') && url !== at('/only-refreshed'))
    t.strictSame(graphOf(unlinked, at('/dir')).orphans, [at('/a.html'), at('/b.html?x=1&y=2')])
  })

  t.test('describes the differences of two graphs', async t => {
    t.strictSame(differences(graph, graph), [])
    const other: SiteGraph = { links: new Map(graph.links), orphans: [at('/new')] }
    other.links.delete(at('/a.html'))
    t.match(differences(graph, other), [
      /only-refreshed is an orphan/,
      /new is not an orphan/,
      /links of .*a\.html/,
    ])
  })
})
