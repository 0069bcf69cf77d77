/**
 * A real manual for the console: Git's, from its Debian package, with the faults of real sites added to its first page.
 * Without the package, the generated site of console.scene.ts takes its place, so that every screen is tested anyway.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page as SitePage } from '@tidemark/testing/origin'
import { siteOf } from './console.scene.ts'
import { unpacked } from './debian.ts'
import { sharedBin } from './system.ts'

export type Manual = {
  /** The pages of an edition, by path. The second edition has a changed, a new and a removed page. */
  edition: (number: 1 | 2) => Record<string, SitePage>
  /** Path of the changed page, its heading, and a word that only its second edition has. */
  changed: { path: string; heading: string; word: string }
  /** A path that robots.txt excludes. */
  excluded: string
  /** The reason why the manual is missing; null: the pages are the manual. */
  missing: string | null
}

const folderOfPages = 'usr/share/doc/git/html'
const faults = `<p><a href="/git-old.html">Moved</a> <a href="/private/notes.html">Notes</a>
  <a href="/missing.html">Missing</a> <a href="/redirect-loop/a">Loop</a></p></body>`

/** Reads the manual. The first call on a machine downloads the package. */
export async function readManual(): Promise<Manual> {
  const got = await unpacked('git-doc', join(sharedBin(), 'debian-sites'))
  if ('missing' in got) return madeSite(got.missing)
  const folder = join(got.folder, folderOfPages)
  const names = (await readdir(folder)).filter(name => name.endsWith('.html'))
  const files = await Promise.all(
    names.map(
      async (name): Promise<[string, string]> => [`/${name}`, await readFile(join(folder, name), 'utf8')],
    ),
  )
  const pages = Object.fromEntries(files)
  const first = (pages['/git.html'] ?? '').replace('</body>', faults)
  const robots = { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private/\n' }
  const all = { ...pages, '/': first, '/robots.txt': robots, '/git-old.html': moved('/git-add.html') }
  const changed = (pages['/git-mv.html'] ?? '').replaceAll(
    'Move or rename a file',
    'Move or rename a harbour',
  )
  const gone: SitePage = { status: 404, body: '<title>Gone</title>' }
  return {
    edition: number =>
      number === 1
        ? all
        : {
            ...all,
            '/': first.replace('Moved', 'Moved</a> <a href="/git-new.html">New'),
            '/git-mv.html': changed,
            '/git-whatchanged.html': gone,
            '/git-new.html': changed,
          },
    changed: { path: '/git-mv.html', heading: 'git-mv(1)', word: 'harbour' },
    excluded: '/private/notes.html',
    missing: null,
  }
}

const moved = (location: string): SitePage => ({ status: 301, headers: { location } })

const madeSite = (missing: string): Manual => ({
  edition: number => siteOf(number, '<title>Notes</title><h1>Notes</h1>'),
  changed: { path: '/tides', heading: 'Tides', word: 'storm' },
  excluded: '/private/log',
  missing,
})
