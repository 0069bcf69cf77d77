/** Projects of the Python Package Index, from its JSON API (docs.pypi.org, "JSON API"). */
import { booleanAt, listAt, numberAt, parseJson, recordAt, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'pypi.org',
  origin: 'https://pypi.org',
  routes: [
    { path: 'project/{name}', fetch: '/pypi/{name}/json' },
    { path: 'project/{name}/{version}', fetch: '/pypi/{name}/{version}/json' },
  ],
  names: {
    name: /^[A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?$/,
    version: /^[A-Za-z0-9][\w.!+-]{0,99}$/,
  },
  dataShape: {
    name: 'name of the project',
    version: 'the version shown: the latest unless the path names one',
    summary: 'one sentence',
    license: "SPDX expression, or the author's text",
    author: 'name',
    author_email: 'as the author wrote it',
    home_page: 'address',
    urls: 'URL by label',
    keywords: 'as the author wrote them',
    classifiers: 'list of texts',
    requires_python: 'range of versions',
    requires: 'list of requirements',
    yanked: 'whether the version is yanked',
    uploaded_at: 'time of the first upload',
    files: 'list of {name, type, bytes, url}',
  },
  read({ text }) {
    const found = parseJson(text)
    const of = (name: string) => textAt(found, 'info', name)
    const [name, version] = [of('name'), of('version')]
    if (name === null || version === null) return null
    const files = listAt(found, 'urls')
    return [
      {
        name,
        version,
        summary: of('summary'),
        license: of('license_expression') ?? of('license'),
        author: of('author'),
        author_email: of('author_email'),
        home_page: of('home_page'),
        urls: recordAt(found, 'info', 'project_urls'),
        keywords: of('keywords'),
        classifiers: textsAt(found, 'info', 'classifiers'),
        requires_python: of('requires_python'),
        requires: textsAt(found, 'info', 'requires_dist'),
        yanked: booleanAt(found, 'info', 'yanked'),
        uploaded_at: textAt(files[0], 'upload_time_iso_8601'),
        files: files.map(fileOf),
      },
    ]
  },
})

const fileOf = (file: unknown) => ({
  name: textAt(file, 'filename'),
  type: textAt(file, 'packagetype'),
  bytes: numberAt(file, 'size'),
  url: textAt(file, 'url'),
})
