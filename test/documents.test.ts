/**
 * The documents are complete and consistent: every path, heading, command, setting and code that they name exists, and
 * the existing ones are documented. `plain-english.test.ts` checks their words.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { chunksOf } from '@tidemark/chunks/chunks'
import { countTokens } from '@tidemark/chunks/o200k'
import { errorColumns } from '@tidemark/contracts/http/errors'
import { leafColumns } from '@tidemark/contracts/http/evidence'
import { linkColumns, orphanColumns } from '@tidemark/contracts/http/links'
import { logColumns } from '@tidemark/contracts/http/logs'
import { pageColumns } from '@tidemark/contracts/http/pages'
import { ledgerColumns } from '@tidemark/contracts/http/usage-ledger'
import { type Operation, prices, priceText } from '@tidemark/contracts/prices'
import { problems } from '@tidemark/contracts/problems'
import { services } from '@tidemark/contracts/services'
import { bulky, streams } from '@tidemark/contracts/subjects'
import { version as ours } from '@tidemark/contracts/version'
import { servedDocument } from '@tidemark/gateway/document.scene'
import { test } from 'tap'
import { streamSpecs } from '../deploy/nats/streams.ts'
import { type User, users } from '../deploy/nats/users.ts'
import { grants, schemas } from '../deploy/postgres/grants.ts'
import { rules } from '../services/extractor/domain/actors/audit/rules.ts'
import { siteRules } from '../services/gateway/actors/site-audit/domain/rules/table.ts'
import { profiles } from '../services/gateway/http/domain/profile.ts'
import { auditRules, auditRulesFile } from './audit-rules.ts'
import { configuration, file } from './configuration.ts'
import { collection, collectionFile } from './postman.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const present = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => path !== '' && existsSync(join(root, path)))
const documents = present.filter(path => /^(docs\/.*)?[^/]+\.md$/.test(path))

const linked = /\[[^\]]*\]\(([^)\s]+)\)/g
/** A file or folder of this repository that the text names. */
const named = /`((?:contracts|deploy|docs|libs|scripts|services|test)\/[\w./-]*)`/g

/** The anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(' ', '-')

const anchorsIn = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

test('Comments refer to existing documents', async t => {
  for (const path of present.filter(path => path.endsWith('.ts') && !path.startsWith('test/')))
    for (const [reference] of read(path).matchAll(/\(api decisions[^)]*\)|\(invariant \d+\)/g))
      t.fail(`${path} refers to ${reference}`)
  t.match(read('docs/api/README.md'), /`\(specification, Crawls\)`/, 'the reference is explained')
})

test('Every link and path in a document exists', async t => {
  for (const document of documents) {
    const links = allOf(read(document), linked).filter(target => !/^[a-z]+:/.test(target))
    for (const link of links) {
      const [target = '', anchor] = link.split('#')
      const path = target === '' ? document : normalize(join(dirname(document), target))
      if (!existsSync(join(root, path))) t.fail(`${document}: ${link}`)
      else if (anchor !== undefined) t.ok(anchorsIn(path).includes(anchor), `${document}: ${link}`)
    }
    for (const path of allOf(read(document), named))
      t.ok(existsSync(join(root, path)), `${document}: ${path}`)
  }
})

test('Every document is one jump from README.md, or of a decision or a recipe two', async t => {
  const linkedIn = (path: string) =>
    allOf(read(path), linked).map(link => normalize(join(dirname(path), link.split('#')[0] ?? '')))
  const near = linkedIn('README.md')
  const afterwards = [...linkedIn('docs/decisions/README.md'), ...linkedIn('CONTRIBUTING.md')]
  for (const document of documents.filter(path => path !== 'README.md')) {
    const isDetail = /^docs\/(?:decisions\/\d|recipes|testing)/.test(document)
    t.ok((isDetail ? afterwards : near).includes(document), document)
  }
})

test('README.md and CONTRIBUTING.md stay short', async t => {
  t.ok(read('README.md').split('\n').length < 120, 'README.md has fewer than 120 lines')
  t.ok(Buffer.byteLength(read('CONTRIBUTING.md')) < 12 * 1024, 'CONTRIBUTING.md has less than 12 KB')
})

test('Every decision has a number of its own and the same parts', async t => {
  const decisions = documents.filter(path => /^docs\/decisions\/\d/.test(path))
  const numbers = decisions.map(path => path.slice('docs/decisions/'.length).slice(0, 4))
  t.strictSame(numbers, [...new Set(numbers)])
  for (const path of decisions) {
    const headings = [...read(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    t.strictSame(headings, ['Context', 'Decision', 'Consequences'], path)
  }
})

test('Every script of package.json is in CONTRIBUTING.md', async t => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const text = read('CONTRIBUTING.md')
  for (const name of Object.keys(scripts).filter(name => !name.startsWith('pre')))
    t.match(text, new RegExp(`\`npm (run )?${name}\\b`), name)
})

test('The package, the reference and the documents name one version', async t => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  t.equal(ours, version, 'contracts/version.ts')
  const lock = JSON.parse(read('package-lock.json'))
  t.strictSame([lock.version, lock.packages[''].version], [version, version], 'package-lock.json')
  t.equal(profiles.narrative.version, version, '/docs and /openapi.json')
  t.match(
    read('CHANGELOG.md'),
    new RegExp(`^# Changelog\n\n## ${version.replaceAll('.', '\\.')}\\b`),
    'CHANGELOG.md',
  )
  t.match(
    read('docs/api/README.md'),
    `The contract exists as a narrative (${version}, `,
    'docs/api/README.md',
  )
})

test('Every command of an administrator is in docs/operating.md', async t => {
  const commands = allOf(read('deploy/local/admin.ts'), /^ {2}\['([a-z-]+)', \w+\],$/gm)
  t.ok(commands.length >= 4, `${commands.length} commands are known`)
  for (const command of commands) t.match(read('docs/operating.md'), `\n| \`${command}`, command)
})

test('Every command and panel of docs/operations.md exists', async t => {
  const text = read('docs/operations.md')
  const commands = allOf(read('deploy/local/admin.ts'), /^ {2}\['([a-z-]+)', \w+\],$/gm)
  const typed = allOf(text, /npm run admin -- ([a-z-]+)/g)
  t.ok(typed.length > 10, `${typed.length} commands are typed`)
  for (const command of typed) t.ok(commands.includes(command), command)

  const dashboards = present.filter(path => /^deploy\/grafana\/.+\.json$/.test(path)).map(read)
  const panels = new Map(
    dashboards.map(text => JSON.parse(text) as Panels).map(({ title, panels }) => [title, panels]),
  )
  const looked = [...text.matchAll(/\*(\w[\w ]*)\* → (.+)/g)]
  t.ok(looked.length > 10, `${looked.length} panels are named`)
  for (const [, dashboard, rest = ''] of looked) {
    const titles = (panels.get(`Tidemark: ${dashboard}`) ?? []).map(({ title }) => title)
    t.ok(
      titles.some(title => rest.startsWith(title)),
      `${dashboard}: ${rest}`,
    )
  }
})

type Panels = { title: string; panels: { title: string }[] }

test('The owners of streams and schemas in docs/architecture.md are those that the servers know', async t => {
  const cellsOf = (name: string) =>
    new RegExp(`^\\| ${name} \\|(.+)\\|$`, 'm').exec(read('docs/architecture.md'))?.[1]?.split('|') ?? []
  const said = (cell = '') =>
    services.filter(service => cell.includes(service.replace(/^(crawl|usage)-/, '')))
  const thoseWho = (act: (user: User) => boolean) => services.filter(service => act(users[service]))

  for (const { name, subjects } of streamSpecs({})) {
    const kinds = subjects.map(subject => subject.split('.')[0])
    const cells = cellsOf(name)
    if (name !== streams.dead) {
      const writers = thoseWho(({ publishes = [] }) =>
        publishes.some(subject => kinds.includes(subject.split('.')[0])),
      )
      t.strictSame(said(cells.at(-2)), writers, `${name} is written by`)
    }
    const readers = thoseWho(({ reads = [], consumes = [] }) => [...reads, ...consumes].includes(name))
    t.strictSame(said(cells.at(-1)), readers, `${name} is read by`)
  }
  const bulkyCells = cellsOf(bulky)
  t.strictSame(
    said(bulkyCells.slice(-2).join()),
    thoseWho(({ hasBulky }) => hasBulky === true),
    bulky,
  )
  for (const schema of schemas) {
    const owners = services.filter(service =>
      grants[service].some(grant => grant.schema === schema && grant.may === 'write' && !grant.tables),
    )
    t.strictSame(said(cellsOf(`\`${schema}\``)[0]), owners, `the owner of ${schema}`)
  }
})

test('Every error code is in docs/api/errors.md, with its status', async t => {
  const text = read('docs/api/errors.md')
  for (const [code, { status }] of Object.entries(problems))
    t.match(text, `| ${status} | \`${code}\` |`, code)
})

test('The prices in docs/api/account.md are those of the price table', async t => {
  const listed = allOf(read('docs/api/account.md'), /^(\| `\w+` \| (?:Costs|Nothing) .+\|)$/gm)
  const expected = (Object.keys(prices) as Operation[]).map(name => `| \`${name}\` | ${priceText(name)} |`)
  t.strictSame(listed, expected)
})

test('docs/configuration.md matches the settings: npm run docs writes it', async t => {
  const text = await configuration()
  t.equal(readFileSync(file, 'utf8'), text)
  for (const line of text.split('\n')) t.notMatch(line, /\| +\|/, 'every setting is described')
})

test('docs/audit-rules.md matches the rules: npm run docs writes it', async t => {
  t.equal(readFileSync(auditRulesFile, 'utf8'), auditRules())
})

test('Every audit rule that docs/api names exists, with its severity', async t => {
  const severities = new Map<string, string>(
    [...rules, ...siteRules].map(({ id, severity }) => [id, severity]),
  )
  const inJson = /"rule": ?"([a-z0-9-]+\/[a-z0-9-]+)"(?:, ?"severity": ?"(\w+)")?/g
  const ofSite = /`(site\/[a-z0-9-]+)(…?)`/g
  const named = documents.filter(path => path.startsWith('docs/api/'))
  for (const path of named) {
    for (const [, id = '', severity] of read(path).matchAll(inJson)) {
      t.ok(severities.has(id), `${path} names ${id}`)
      if (severity !== undefined) t.equal(severity, severities.get(id), `${path}: the severity of ${id}`)
    }
    for (const [, id = '', more] of read(path).matchAll(ofSite)) {
      const isRule = [...severities.keys()].some(known => (more ? known.startsWith(id) : known === id))
      t.ok(isRule, `${path} names ${id}`)
    }
  }
  t.ok(named.some(path => read(path).search(inJson) !== -1))
  t.ok(named.some(path => read(path).search(ofSite) !== -1))
})

test('The example of chunks in docs/api/scan.md is what the service returns', async t => {
  const [, json = ''] = /```json\n(\{"markdown":[^`]+?), …\}\n```/.exec(read('docs/api/scan.md')) ?? []
  const { markdown, chunks } = JSON.parse(`${json}}`)
  const options = { maxTokens: 512, overlap: 64 }
  const made = chunksOf(markdown, options, countTokens).chunks.map(
    ({ id: _, headingPath: heading_path, isPart: is_part, ...chunk }) => ({
      ...chunk,
      ...{ heading_path, is_part },
    }),
  )
  t.ok(made.length > 0)
  t.strictSame(
    chunks.map(({ id: _, ...chunk }: { id: string }) => chunk),
    made,
  )
  for (const { text, start, end } of chunks) t.equal(end - start, text.length)
})

test('The columns of lists in docs/api/read.md are those of the contracts', async t => {
  const lists: Record<string, readonly string[]> = {
    '…/pages': pageColumns,
    '…/links': linkColumns,
    '…/orphans': orphanColumns,
    '…/evidence/leaves': leafColumns,
    '…/errors': errorColumns,
    '/v1/logs': logColumns,
    '/v1/usage/ledger': ledgerColumns,
  }
  const text = read('docs/api/read.md')
  for (const [list, columns] of Object.entries(lists)) {
    const [, cell = ''] = new RegExp(`^\\| \`${list}\` \\| (.+) \\|$`, 'm').exec(text) ?? []
    const [whole = ''] = cell.split(', then')
    t.strictSame(allOf(whole, /`(\w+)`/g), columns, list)
  }
})

test('The Postman collection matches the OpenAPI document: npm run docs writes it', async t => {
  t.ok(readFileSync(collectionFile, 'utf8') === (await collection()), collectionFile)
})

test('Every variable that is read is documented', async t => {
  const text = documents.map(read).join('\n')
  const sources = present.filter(path => /\.(ts|cjs)$/.test(path) && !path.startsWith('test/chaos/'))
  const variables = sources.flatMap(path => allOf(read(path), /\benv\.([A-Z][A-Z_]{3,})\b/g))
  t.ok(variables.length > 20, `${variables.length} places read one`)
  for (const name of new Set(variables)) if (!ofStandard.test(name)) t.match(text, `\`${name}`, name)
})

/** Variables of the shell, of npm, of the OpenTelemetry standard, and of tests for their child processes. */
const ofStandard = /^(PATH|NODE_ENV|OTEL_.*|FAULTS|OPTIONS|START|SAY)$/

/**
 * The pages for users of other programs name only existing endpoints and fields. Each heading names an operation. Each
 * name in the right column of its table is an endpoint, or a field of that operation with a value that it may have.
 */
const comingFrom = 'docs/coming-from'
const endpoint = /^(GET|POST|PATCH|DELETE) (\/\S+)$/

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
type Node = Record<string, any>
const reference = JSON.parse(await servedDocument()) as Node

/** Returns the operation; undefined: it does not exist. */
function operationOf(text: string): Node | undefined {
  const [, method = '', path = ''] = endpoint.exec(text) ?? []
  return reference.paths?.[path]?.[method.toLowerCase()]
}

/** Returns all names of fields and parameters below a part of the document, with their allowed values. */
function namesBelow(part: Node, names = new Map<string, unknown[]>(), seen = new Set<Node>()) {
  if (typeof part !== 'object' || part === null || seen.has(part)) return names
  seen.add(part)
  if (typeof part.$ref === 'string') {
    const target = part.$ref
      .slice(2)
      .split('/')
      .reduce<Node | undefined>((node, name) => node?.[name], reference)
    if (target !== undefined) namesBelow(target, names, seen)
  }
  if (typeof part.name === 'string' && 'in' in part) names.set(part.name, [])
  for (const [name, schema] of Object.entries<Node>(part.properties ?? {}))
    names.set(name, [...(names.get(name) ?? []), ...valuesIn(schema)])
  for (const child of Object.values(part)) namesBelow(child, names, seen)
  return names
}

const valuesIn = (schema: Node): unknown[] =>
  Object.entries(schema).flatMap(([key, value]) =>
    key === 'const'
      ? [value]
      : key === 'enum'
        ? (value as unknown as unknown[])
        : typeof value === 'object' && value !== null
          ? valuesIn(value)
          : [],
  )

/**
 * Returns the names in a cell of Tidemark's column that are neither endpoints nor fields and values of the operation.
 */
function unknownIn(cell: string, operation: Node | undefined): string[] {
  const names = operation === undefined ? new Map<string, unknown[]>() : namesBelow(operation)
  const tokens = [...cell.matchAll(/`([^`]+)`/g)].map(([, token = '']) => token)
  let values: unknown[] = []
  return tokens.filter(token => {
    if (endpoint.test(token)) return operationOf(token) === undefined
    const [name = '', value] = token.split(': ')
    if (names.has(name)) {
      values = names.get(name) ?? []
      return value !== undefined && values.length > 0 && !values.map(String).includes(value)
    }
    return !values.includes(token)
  })
}

test('Every name of ours on the pages for users of other programs exists', async t => {
  const pages = readdirSync(join(root, comingFrom))
  t.equal(pages.length, 4)
  for (const page of pages) {
    let operation: Node | undefined
    let rows = 0
    for (const line of read(`${comingFrom}/${page}`).split('\n')) {
      const [, named] = /^#+ .*`([^`]+)`$/.exec(line) ?? []
      if (line.startsWith('#')) operation = named === undefined ? undefined : operationOf(named)
      if (named !== undefined) t.ok(operation, `${page}: ${named}`)
      const [, theirs, ours] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? []
      if (ours === undefined || ours === 'Tidemark') continue
      rows++
      t.strictSame(unknownIn(ours, operation), [], `${page}: ${theirs}`)
    }
    t.ok(rows > 15, `${page} has ${rows} rows`)
  }
})

test('A wrong name is found', async t => {
  const operation = operationOf('POST /v1/crawls')
  t.strictSame(unknownIn('`max_pages`, `render: always`, `render` (`auto`)', operation), [])
  t.strictSame(unknownIn('`maxPages`, `render: sometimes`, `GET /v2/crawl`', operation), [
    'maxPages',
    'render: sometimes',
    'GET /v2/crawl',
  ])
})
