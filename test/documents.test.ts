/**
 * The documents keep what they promise a reader: what they name is there, and what is there they name. Words
 * cannot be tested; paths, headings, commands, settings and codes can.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { problems } from '@tidemark/contracts/problems'
import { services } from '@tidemark/contracts/services'
import { bulky, streams } from '@tidemark/contracts/subjects'
import { test } from 'tap'
import { streamSpecs } from '../deploy/nats/streams.ts'
import { type User, users } from '../deploy/nats/users.ts'
import { grants, schemas } from '../deploy/postgres/grants.ts'
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
const documents = present.filter(path => /^(docs\/)?[^/]+\.md$/.test(path))

const linked = /\[[^\]]*\]\(([^)\s]+)\)/g
/** A file or folder of ours, named in the text. */
const named = /`((?:contracts|deploy|docs|libs|scripts|services|test)\/[\w./-]*)`/g

/** The name by which a heading can be linked. */
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

test('Comments refer to documents that are here', async t => {
  for (const path of present.filter(path => path.endsWith('.ts') && !path.startsWith('test/')))
    for (const [reference] of read(path).matchAll(/\(api decisions[^)]*\)|\(invariant \d+\)/g))
      t.fail(`${path} refers to ${reference}`)
  t.match(read('docs/api.md'), /`\(specification, Crawls\)`/, 'and what the specification is, is said')
})

test('Whatever a document links or names is there', async t => {
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

test('Every document is one jump from README.md', async t => {
  const linkedThere = allOf(read('README.md'), linked).map(link => link.split('#')[0])
  for (const document of documents.filter(path => path !== 'README.md'))
    t.ok(linkedThere.includes(document), document)
})

test('Every script of package.json is in CONTRIBUTING.md', async t => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const text = read('CONTRIBUTING.md')
  for (const name of Object.keys(scripts).filter(name => !name.startsWith('pre')))
    t.match(text, new RegExp(`\`npm (run )?${name}\\b`), name)
})

test('Every command of an administrator is in docs/operating.md', async t => {
  const commands = allOf(read('deploy/local/admin.ts'), /^ {2}\['([a-z-]+)', \w+\],$/gm)
  t.ok(commands.length >= 4, `${commands.length} commands are looked for`)
  for (const command of commands) t.match(read('docs/operating.md'), `\n| \`${command}`, command)
})

test('Where docs/operations.md sends an operator, something is', async t => {
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
  t.ok(looked.length > 10, `${looked.length} panels are looked at`)
  for (const [, dashboard, rest = ''] of looked) {
    const titles = (panels.get(`Tidemark: ${dashboard}`) ?? []).map(({ title }) => title)
    t.ok(
      titles.some(title => rest.startsWith(title)),
      `${dashboard}: ${rest}`,
    )
  }
})

type Panels = { title: string; panels: { title: string }[] }

test('The streams and schemas of docs/architecture.md are whose the servers are told they are', async t => {
  const cellsOf = (name: string) =>
    new RegExp(`^\\| ${name} \\|(.+)\\|$`, 'm').exec(read('docs/architecture.md'))?.[1]?.split('|') ?? []
  const said = (cell = '') =>
    services.filter(service => cell.includes(service.replace(/^(crawl|usage)-/, '')))
  const thoseWho = (act: (user: User) => boolean) => services.filter(service => act(users[service]))

  for (const { name, subjects } of streamSpecs({})) {
    const kinds = subjects.map(subject => subject.split('.')[0])
    const cells = cellsOf(name)
    if (name !== streams.dead) {
      const writers = thoseWho(({ says = [] }) => says.some(subject => kinds.includes(subject.split('.')[0])))
      t.strictSame(said(cells.at(-2)), writers, `${name} is written by`)
    }
    const readers = thoseWho(({ reads = [], takes = [] }) => [...reads, ...takes].includes(name))
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

test('Every way to be refused is in docs/api.md, with its status', async t => {
  const text = read('docs/api.md')
  for (const [code, { status }] of Object.entries(problems))
    t.match(text, `| ${status} | \`${code}\` |`, code)
})

test('docs/configuration.md says what the settings say: npm run docs writes it anew', async t => {
  const text = await configuration()
  t.equal(readFileSync(file, 'utf8'), text)
  for (const line of text.split('\n')) t.notMatch(line, /\| +\|/, 'every setting is described')
})

test('docs/audit-rules.md says what the rules say: npm run docs writes it anew', async t => {
  t.equal(readFileSync(auditRulesFile, 'utf8'), auditRules())
})

test('The Postman collection is that of the OpenAPI document: npm run docs writes it anew', async t => {
  t.ok(readFileSync(collectionFile, 'utf8') === (await collection()), collectionFile)
})

test('Every variable that is read is documented', async t => {
  const text = documents.map(read).join('\n')
  const sources = present.filter(path => /\.(ts|cjs)$/.test(path) && !path.startsWith('test/chaos/'))
  const variables = sources.flatMap(path => allOf(read(path), /\benv\.([A-Z][A-Z_]{3,})\b/g))
  t.ok(variables.length > 20, `${variables.length} places read one`)
  for (const name of new Set(variables)) if (!ofStandard.test(name)) t.match(text, `\`${name}`, name)
})

/** Of the shell, of npm and of the OpenTelemetry standard; and what a test says to its own child. */
const ofStandard = /^(PATH|NODE_ENV|OTEL_.*|FAULTS|OPTIONS|START|SAY)$/
