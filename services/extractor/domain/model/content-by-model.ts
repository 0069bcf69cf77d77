/**
 * The values of a model in the content of a page. The page is read twice: first for the request to the model, then with
 * its response, of which only values that pass all checks are kept.
 */
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import type { ByModel, ContentRequest } from '../content-request.ts'
import { fillMissing, without } from './fill-missing.ts'
import { createPageSearch } from './find-value.ts'
import { type Link, type ModelInput, modelInputOf, objectIn } from './messages.ts'
import { type Missing, missingIn, namesIn } from './missing.ts'
import { type Readable, readableText } from './readable.ts'

/** Returns the wanted parts with those that a model needs. */
export const withModelSources = (wanted: Wanted): Wanted => ({ ...wanted, text: true, anchors: true })

type Extraction = NonNullable<Content['extraction']>
type ErrorsOf = (data: JsonObject) => Extraction['errors']
export type ContentByModel = { content: Content; modelInput: ModelInput | null }

/**
 * @param content with the parts of `withModelSources`. Those that the client did not request are removed.
 * @param errorsOf lists the errors of an object by the schema
 */
export function contentByModel(
  content: Content,
  { url, wanted }: Pick<ContentRequest, 'url' | 'wanted'>,
  { maxCharacters, result }: ByModel,
  errorsOf: ErrorsOf,
): ContentByModel {
  const { extraction, text: pageText = '', anchors = [] } = content
  const { schema } = wanted
  if (extraction === undefined || schema === undefined) return { content, modelInput: null }
  const readable = readableText(pageText, maxCharacters)
  const missing = readable.text === '' ? [] : missingIn(schema, extraction.data)
  const links = anchors.map(({ to, anchor }) => ({ to, anchor }))
  const page = { schema, url, text: readable.text, links }
  const own = onlyWanted(content, wanted)
  if (result === undefined || missing.length === 0)
    return {
      content: { ...own, extraction: { ...extraction, ...judged(extraction.data, errorsOf) } },
      modelInput: missing.length === 0 ? null : modelInputOf(missing, page),
    }
  const { data, fields, warnings } = filledBy(own, missing, result, page, errorsOf)
  const filled = { data, fields, ...judged(data, errorsOf), ...(result.use && { model: result.use }) }
  return {
    content: { ...own, extraction: filled, warnings: [...warnings, ...warningsOf(readable)] },
    modelInput: null,
  }
}

const judged = (data: JsonObject, errorsOf: ErrorsOf) => {
  const errors = errorsOf(data)
  return { valid: errors.length === 0, errors }
}

type Page = { schema: JsonObject; url: string; text: string; links: readonly Link[] }
type Result = NonNullable<ByModel['result']>

function filledBy(
  { extraction, warnings }: Content,
  missing: readonly Missing[],
  { answer, warning }: Result,
  { schema, url, text, links }: Page,
  errorsOf: ErrorsOf,
) {
  const { data, fields } = extraction as Extraction
  const before = { data, fields, warnings: warning === null ? warnings : [...warnings, warning] }
  if (answer === null) return before
  const object = objectIn(answer)
  if (object === null)
    return {
      ...before,
      warnings: [...before.warnings, 'the model responded without a JSON object, so nothing was filled'],
    }
  const search = createPageSearch(text)
  const filled = fillMissing(before, missing, object, { schema, base: url, search, links })
  const errors = errorsOf(filled.data).map(({ path }) => path)
  const invalid = missing
    .map(({ path }) => path)
    .filter(path => valueAt(filled.data, path) !== null)
    .filter(path => errors.some(at => at === path || at.startsWith(`${path}/`)))
  return invalid.length === 0 ? filled : without(filled, invalid)
}

function valueAt(data: JsonObject, path: string): unknown {
  let value: unknown = data
  for (const name of namesIn(path)) value = isObject(value) ? value[name] : null
  return value
}

const warningsOf = ({ leftOut, isCut, text }: Readable): string[] => [
  ...(isCut ? [`the model received only the first ${text.length} characters of the page`] : []),
  ...(leftOut > 0 ? [`the model did not receive ${leftOut} lines that address language models`] : []),
]

function onlyWanted(content: Content, { text = false, anchors }: Wanted): Content {
  const { text: pageText, anchors: links, ...rest } = content
  const isOwn = (warning: string) =>
    (text || !warning.startsWith('text was truncated')) &&
    (anchors || !warning.startsWith('anchors are limited'))
  return {
    ...rest,
    ...(text && pageText !== undefined && { text: pageText }),
    ...(anchors && links !== undefined && { anchors: links }),
    warnings: rest.warnings.filter(isOwn),
  }
}
