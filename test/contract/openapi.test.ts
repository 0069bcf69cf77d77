/**
 * Checks the OpenAPI document with tools outside of JavaScript: a Python validator, and the regular expressions of
 * Python and Go.
 */

import { createRequire } from 'node:module'
import { SelectableEvent } from '@tidemark/contracts/run-settings'
import { loadScrapers } from '@tidemark/extractor/adapters/scrapers-folder'
import { orderOf } from '@tidemark/extractor/domain/scrapers/order'
import { servedDocument } from '@tidemark/gateway/document.scene'
import { bodyOf, sampleBodyOf, webhookIdOf } from '@tidemark/webhook/domain/message'
import { noticeIdOf } from '@tidemark/webhook/domain/notice'
import { requestOf } from '@tidemark/webhook/domain/request'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { command } from '../../deploy/local/command.ts'
import { sharedBin } from '../e2e/system.ts'
import { collection, type Item } from '../postman.ts'
import { pythonIn } from '../programs.ts'

const served = {
  narrative: JSON.parse(await servedDocument('narrative')),
  openapi: JSON.parse(await servedDocument('openapi')),
}

const { Url } = createRequire(import.meta.url)('postman-collection') as {
  Url: new (text: string) => { path: string[]; query: { map<T>(of: (one: Parameter) => T): T[] } }
}
type Parameter = { key: string; value: string }

/** Values under these names are not schemas. */
const notSchemas = new Set(['example', 'examples', 'default', 'enum', 'const'])

const python = await pythonIn(sharedBin()).catch((error: Error) => error)

/** Runs a Python program and returns the JSON that it prints. */
async function run(program: string, input: unknown): Promise<unknown> {
  const [start = '', ...args] = python as string[]
  const { code, output } = await command(start, [...args, '-c', program], { input: JSON.stringify(input) })
  if (code !== 0) throw new Error(output)
  return JSON.parse(output)
}

/**
 * Samples to match patterns against: one of each kind of character. A trailing line break is missing, because Python's
 * `$` ignores it.
 */
const texts = [
  ...['', 'a', 'Z9', 'DE', 'a-b/c', 'a_b-c', 'title,depth', 'page,end', 'markdown', 'h1', 'a@b.c', 'a"b@c'],
  ...['\0', '\t', '\x1f', ' ', 'a b', '\x7f', '\x85', '\x9f', '\u00df', '\u{1f600}', 'a\nb', 'x'.repeat(300)],
  '9f'.repeat(32),
]

const pythonFinds = `
import json, re, sys
given = json.load(sys.stdin)
def found(pattern):
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        return str(error)
    return [text for text in given["texts"] if compiled.search(text)]
print(json.dumps([found(pattern) for pattern in given["patterns"]]))
`

/** Puts the results by pattern, so that a failed comparison shows the pattern. */
const named = (patterns: string[], found: unknown[]) =>
  Object.fromEntries(patterns.map((pattern, index) => [pattern, found[index]]))

test('Each pattern matches the same texts in Python, Go and JavaScript', async t => {
  const patterns = [...new Set(Object.values(served).flatMap(patternsIn))]
  t.ok(patterns.length > 8, `${patterns.length} patterns`)
  const ours = patterns.map(pattern => texts.filter(text => new RegExp(pattern, 'u').test(text)))

  await t.test('RE2', async t => {
    const found = patterns.map(pattern => {
      try {
        const compiled = RE2JS.compile(pattern)
        return texts.filter(text => compiled.matcher(text).find())
      } catch (error) {
        return String(error)
      }
    })
    t.strictSame(named(patterns, found), named(patterns, ours))
  })

  await t.test('Python', async t => {
    if (python instanceof Error) return t.pass(`skipped: ${python.message}`, { skip: python.message })
    const found = (await run(pythonFinds, { patterns, texts })) as unknown[]
    t.strictSame(named(patterns, found), named(patterns, ours))
  })
})

/** Returns the patterns of all schemas at any depth. A field may be called `pattern` too. */
function patternsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(patternsIn)
  if (typeof part !== 'object' || part === null) return []
  const { pattern, patternProperties = {} } = part as { pattern?: unknown; patternProperties?: object }
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...Object.keys(patternProperties),
    ...Object.entries(part).flatMap(([name, inner]) => (notSchemas.has(name) ? [] : patternsIn(inner))),
  ]
}

const pythonFaults = `
import json, re, sys
from functools import cache
from jsonschema import FormatChecker
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

text = sys.stdin.read()
faults = [error.message for error in OpenAPIV31SpecValidator(json.loads(text)).iter_errors()]
document = json.loads(text.replace('"#/components/', '"urn:document#/components/'))
registry = Registry().with_resource("urn:document", Resource(document, DRAFT202012))

def resolved(part):
    return registry.resolver().lookup(part["$ref"]).contents if "$ref" in part else part

meta = OAS31Validator(OAS31Validator.META_SCHEMA, format_checker=FormatChecker())

# Most operations share their headers and errors.
@cache
def wrong_in(text):
    schema, examples = json.loads(text)
    wrong = [error.message for error in meta.iter_errors(schema)]
    if not wrong and examples:
        validator = OAS31Validator(schema, registry=registry, format_checker=OAS31Validator.FORMAT_CHECKER)
        try:
            wrong = [error.message for example in examples for error in validator.iter_errors(example)]
        except re.error as error:
            wrong = [str(error)]
    return wrong

def look(schema, at, examples):
    wrong = wrong_in(json.dumps([schema, examples]))
    faults.extend(at + ": " + message[:300] for message in wrong)

def look_at_media(media, at):
    named = [resolved(example) for example in media.get("examples", {}).values()]
    given = [media["example"]] if "example" in media else []
    if "schema" in media:
        look(media["schema"], at, given + [example["value"] for example in named])

for name, schema in document["components"]["schemas"].items():
    look(schema, name, [])
for path, operations in [*document["paths"].items(), *document["webhooks"].items()]:
    for method, operation in operations.items():
        at = method + " " + path
        for parameter in map(resolved, operation.get("parameters", [])):
            look_at_media(parameter, at + " " + parameter["name"])
        bodies = [operation.get("requestBody", {}), *map(resolved, operation["responses"].values())]
        for body in bodies:
            for header in map(resolved, body.get("headers", {}).values()):
                look_at_media(header, at + " header")
            for kind, media in body.get("content", {}).items():
                look_at_media(media, at + " " + kind)
print(json.dumps(faults))
`

test("The document passes Python's validator, with each schema and each example", async t => {
  if (python instanceof Error) return t.pass(`skipped: ${python.message}`, { skip: python.message })
  for (const [profile, document] of Object.entries(served))
    t.strictSame(await run(pythonFaults, document), [], profile)

  const { paths, ...rest } = served.narrative
  const broken = structuredClone({ ...rest, paths: { '/v1/crawls': paths['/v1/crawls'] }, webhooks: {} })
  broken.paths['/v1/crawls'].post.operationId = 'listCrawls'
  broken.components.schemas.Signup.required = 'email'
  broken.components.schemas.KeyRotation.properties.label.pattern = '('
  broken.paths['/v1/crawls'].post.requestBody.content['application/json'].example.depth = 51
  const faults = (await run(pythonFaults, broken)) as string[]
  for (const expected of [
    /listCrawls/,
    /'email' is not of type 'array'/,
    /'\(' is not a 'regex'/,
    /51 is greater than/,
  ])
    t.ok(
      faults.some(fault => expected.test(fault)),
      String(expected),
      { faults },
    )
})

test('Each webhook is sent as documented, and its schema accepts the body', async t => {
  const { webhooks = {}, components } = served.narrative
  const events = SelectableEvent.anyOf.map(({ const: name }) => name)
  t.strictSame(Object.keys(webhooks), [...events, 'batch.done'])
  const ajv = addFormats.default(new Ajv2020({ strict: false }))
  ajv.addSchema({ $id: 'document', components })
  for (const [event, { post }] of Object.entries<{ post: WebhookShown }>(webhooks)) {
    const { schema, example } = post.requestBody.content['application/json']
    const { project_id: projectId, delivered_at: deliveredAt, diff, previous_run_id } = example
    const runId = event === 'batch.done' ? -example.id : example.id
    const ofBatch = { createdAt: example.created_at, finishedAt: example.finished_at }
    const ofRun = {
      ...{ url: example.url, status: example.status, startedAt: example.started_at },
      ...{ finishedAt: example.finished_at, errorMessage: example.error_message },
      ...{ pageCount: example.page_count, errorCount: example.error_count },
      ...(diff && { difference: { previousRunId: previous_run_id, ...diff } }),
      ...(example.intent && { intent: example.intent }),
    }
    const ofPages = { runId, url: example.url, batch: example.batch, pages: example.pages?.map(pageOf) }
    const ofAny = event === 'page.fetched' ? ofPages : ofRun
    const facts = event === 'batch.done' ? { counts: example.counts, ...ofBatch } : ofAny
    const isEvent = event as 'crawl.done'
    const body = bodyOf({ runId, projectId, event: isEvent, facts, deliveredAt })
    t.equal(body, JSON.stringify(example))
    const message = {
      runId,
      event: isEvent,
      body,
      webhookId:
        event === 'page.fetched'
          ? noticeIdOf({ event, facts: ofPages })
          : webhookIdOf({ runId, event: isEvent, reopenings: 0 }),
    }
    const secret = post.description.match(/[0-9a-f]{64}/)?.[0] ?? ''
    const sent = requestOf({ ...message, url: 'https://hooks.test/', sentAt: new Date(deliveredAt) }, [
      secret,
    ])
    const shown = Object.fromEntries(
      post.parameters.map(({ name, example }) => [name.toLowerCase(), example]),
    )
    const { 'content-type': type, 'user-agent': _, ...headers } = sent.headers
    t.strictSame(shown, headers, 'all headers of both signature schemes')
    t.equal(type, 'application/json')
    for (const { name, example, schema } of post.parameters)
      t.match(example, new RegExp(schema.pattern, 'u'), name)
    const standard = new Webhook(Buffer.from(secret, 'hex').toString('base64'))
    t.equal(standard.sign(message.webhookId, new Date(deliveredAt), body), shown['webhook-signature'])

    const isSent = ajv.compile({ ...schema, $ref: `document${schema.$ref}` })
    t.ok(isSent(example), event, { errors: isSent.errors })
    t.notOk(isSent({ ...example, event: 'crawl.other' }))
    if (event === 'crawl.done') t.ok(isSent(JSON.parse(sampleBodyOf(projectId, deliveredAt))), 'a sample')
    t.strictSame(Object.keys(post.responses), ['2XX', '3XX', '4XX', '5XX'])
  }
})

// biome-ignore lint/suspicious/noExplicitAny: a page of the example
const pageOf = ({ fetched_at: fetchedAt, content_hash: contentHash, ...page }: any) => ({
  ...page,
  fetchedAt,
  contentHash,
})

type WebhookShown = {
  description: string
  parameters: { name: string; example: string; schema: { pattern: string } }[]
  // biome-ignore lint/suspicious/noExplicitAny: the fields of either body
  requestBody: { content: { 'application/json': { schema: { $ref: string }; example: any } } }
  responses: object
}

test('The Postman collection', async t => {
  const items = itemsIn(JSON.parse(await collection()).item)
  const named = (name: string) => items.find(item => item.name === name)
  const requests = items.flatMap(({ name, request, response = [] }) =>
    [request ?? {}, ...response.map(({ originalRequest }) => originalRequest)].map(request => ({
      name,
      ...request,
    })),
  )
  t.ok(requests.length > items.length)

  await t.test('has each address also as one text, equal to its parts', async t => {
    const asText = ({ key, value }: Parameter) => `${key}=${decodeURIComponent(value)}`
    for (const { url, name } of requests) {
      t.match(url?.raw, /^\{\{baseUrl\}\}\/v1\//, name)
      const { path, query } = new Url(String(url?.raw))
      t.strictSame(path, url?.path, name)
      t.strictSame(query.map(asText), url?.query?.filter(({ disabled }) => !disabled).map(asText) ?? [], name)
    }
  })

  await t.test('sends no key and no tag of another request', async t => {
    const sent = requests.flatMap(({ header, name }) => (header ?? []).map(field => ({ ...field, name })))
    const values = (key: string) => new Set(sent.filter(field => field.key === key).map(({ value }) => value))
    t.strictSame(values('Idempotency-Key'), new Set(['{{$guid}}']), 'a new UUID each time')
    t.strictSame(values('If-None-Match'), new Set(['']))
  })

  await t.test('shows the accepted crawl as the first answer of a new crawl', async t => {
    const { response = [] } = named('Start a crawl, or with cron a monitor') ?? {}
    t.match(JSON.parse(String(response[0]?.body)), { id: Number, status: 'queued' })
    t.strictSame(
      response.map(({ code }) => code),
      [202, 201],
    )
  })

  await t.test('requests addresses that the scrapers support', async t => {
    const scrapers = await loadScrapers()
    for (const name of ["Read a site's first page into fields", 'Read a page of a site into fields']) {
      const { url, body } = named(name)?.request ?? {}
      const { domain = '', path } = Object.fromEntries(
        (url?.variable ?? []).map(({ key, value }) => [key, value]),
      )
      const { params = {} } = JSON.parse(body?.raw ?? '{}')
      t.match(
        orderOf(scrapers, { domain, path: path ?? null, params }),
        { url: /^https:/, warnings: { length: 0 } },
        name,
      )
    }
  })
})

const itemsIn = (items: Item[]): Item[] => items.flatMap(item => (item.item ? itemsIn(item.item) : [item]))
