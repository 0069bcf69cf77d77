/**
 * A zip of Markdown files: one per page, with front matter. Links to other pages of the export lead to their files. A
 * page without Markdown has a file of front matter alone, so that every link has a target.
 */
import { posix } from 'node:path'
import { buffered } from '../buffered.ts'
import type { Format } from '../format.ts'
import type { ExportedPage, ExportSource, Part } from '../page.ts'
import { type ZipFile, zipOf, zipType } from '../zip/zip.ts'
import { FileNames } from './file-names.ts'
import { frontMatter } from './front-matter.ts'
import { rewriteLinks } from './rewrite-links.ts'

const needed: readonly Part[] = ['markdown', 'metadata']

export const markdown: Format = {
  fileType: () => zipType,
  needs: () => needed,
  write: source => buffered(zipOf(source, files(source))),
}

async function* files(source: ExportSource): AsyncGenerator<ZipFile> {
  const names = new FileNames()
  for await (const address of source.addresses()) names.add(address)
  let number = 0
  for await (const page of source.pages(needed)) {
    const name = names.at(number++)
    yield { name, data: Buffer.from(frontMatter(page) + bodyOf(page, name, names, source)) }
  }
}

function bodyOf(page: ExportedPage, name: string, names: FileNames, source: ExportSource): string {
  if (page.markdown === null) return ''
  const folder = posix.dirname(name)
  const text = rewriteLinks(page.markdown, destination => {
    if (!/^https?:\/\//i.test(destination)) return null
    const [, address = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(destination) ?? []
    const normal = source.normalize(address)
    const target = normal === null ? null : names.find(normal)
    return target === null ? null : urlOf(posix.relative(folder, target)) + escapedFragment(fragment)
  })
  return `\n${text}${text.endsWith('\n') ? '' : '\n'}`
}

/** Returns a relative URL, in which no character has a meaning in Markdown. */
const urlOf = (path: string): string =>
  path.split('/').map(encodeURIComponent).join('/').replace(/[()]/g, escaped)

const escapedFragment = (fragment: string): string =>
  fragment.toWellFormed().replace(/[\s()<>\\&\p{Cc}]/gu, escaped)

const escaped = (sign: string): string =>
  /[()]/.test(sign) ? `%${sign.charCodeAt(0).toString(16)}` : encodeURIComponent(sign)
