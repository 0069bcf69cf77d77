/**
 * robots.txt that is huge, broken, redirected or missing (RFC 9309). Each site has one open page and a private one.
 */
import { links, numbered, page, redirect, series, stream, times } from './answers.ts'
import { done, failed, type Site, type Visit } from './site.ts'

const text = { 'content-type': 'text/plain' }
const rules = 'User-agent: *\nDisallow: /private\n'
const line = `# ${'nothing to see here '.repeat(50)}\n`

/** The seed and the open page, because the private one is forbidden. */
const obeyed = done(2)
const rows: [name: string, robots: (visit: Visit) => void, expect: Site['expect']][] = [
  [
    // RFC 9309, 2.5: the first 500 KiB count, and the rest must do no harm.
    'robots-of-a-hundred-megabytes',
    visit => stream(visit, series(rules, times(line.repeat(100), 1000)), text),
    obeyed,
  ],
  [
    'robots-of-sixty-thousand-rules',
    visit =>
      stream(
        visit,
        series(
          rules,
          numbered(60_000, n => `Disallow: /p/${n}$\n`),
        ),
        text,
      ),
    obeyed,
  ],
  [
    // RFC 9309, 2.3.1.4: unreachable, so everything is forbidden.
    'robots-answers-500',
    ({ response }) => void response.writeHead(500).end('broken'),
    failed(/robots\.txt/, { errors: { atLeast: 0, atMost: 1 } }),
  ],
  ['robots-behind-five-redirects', chain, obeyed],
  [
    // None of its lines is a rule, so it forbids nothing.
    'robots-is-a-page',
    visit => page(visit, 'Not found', '<p>User-agent: *<p>Disallow: /'.repeat(200)),
    done(3),
  ],
]

export const robots: Site[] = rows.map(([name, answer, expect]) => ({
  name,
  group: 'robots',
  ownRobots: true,
  expect,
  serve(visit) {
    const { pathname } = visit.url
    if (pathname.startsWith('/robots')) answer(visit)
    else
      page(
        visit,
        pathname,
        `<p>This is ${pathname}.</p>${links(pathname === '/' ? ['/open', '/private'] : [])}`,
      )
  },
}))

function chain(visit: Visit): void {
  const hop = Number(visit.url.searchParams.get('hop') ?? 0)
  if (hop < 5) redirect(visit, `/robots.txt?hop=${hop + 1}`, 301)
  else stream(visit, [rules], text)
}
