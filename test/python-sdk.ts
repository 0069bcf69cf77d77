/**
 * The generated modules of the Python SDK, made from the OpenAPI document of a gateway. As a program this file writes
 * them; `clients/python/python-sdk.test.ts` fails when a stored file differs.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servedDocument } from '@tidemark/gateway/document.scene'
import type { Document } from '../clients/python/generator/document.ts'
import { tableText } from '../clients/python/generator/methods.ts'
import { operationsText } from '../clients/python/generator/operations.ts'
import { synchronous } from '../clients/python/generator/sync.ts'
import { typesOfDocument } from '../clients/python/generator/types.ts'
import { isIdempotentPost, itemKeys, statuses, warned } from './client-rules.ts'

const sdkFolder = join(import.meta.dirname, '../clients/python')
const modules = join(sdkFolder, 'tidemark')
const operationsFile = '_async/operations.py'

/** Returns the text of each generated file by its path below the package. */
export function generatedFiles(document: Document): Map<string, string> {
  const types = typesOfDocument(document, warned)
  const operations = operationsText(document, types, { isIdempotentPost, itemKeys })
  const written = readdirSync(join(modules, '_async')).filter(name => name.endsWith('.py'))
  const asynchronous = new Map(
    written.map(name => [`_async/${name}`, readFileSync(join(modules, '_async', name), 'utf8')]),
  ).set(operationsFile, operations)
  return new Map([
    ['types.py', types.text()],
    ['_methods.py', tableText(document)],
    ['_statuses.py', statusesText()],
    [operationsFile, operations],
    ...[...asynchronous].map(([name, text]) => [name.replace('_async', '_sync'), synchronous(text)] as const),
  ])
}

function statusesText(): string {
  const rows = statuses.map(([code, status]) => `    ${JSON.stringify(code)}: ${status},`)
  return (
    `"""The HTTP status of each error code, generated: do not edit."""\n\n` +
    `from typing import Dict\n\nSTATUSES: Dict[str, int] = {\n${rows.join('\n')}\n}\n`
  )
}

if (import.meta.main) {
  const document = JSON.parse(await servedDocument()) as Document
  for (const [name, text] of generatedFiles(document)) writeFileSync(join(modules, name), text)
}
