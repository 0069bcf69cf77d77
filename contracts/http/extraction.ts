/** Values of a page by a JSON Schema of the client: the schema, and the filled values with their sources. */
import { type Static, Type } from 'typebox'
import { Id, said } from '../primitives.ts'
import { warnings } from './lists.ts'

/** Checked by the gateway beyond its type: see `@tidemark/schema`. */
export const ClientSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'JSON Schema (draft 2020-12) of an object. Values come from the structured data, metadata, tables and definition lists of the page, by the names of the properties. `x-selector` selects elements, `x-alias` adds names, `x-type` names the schema.org type of an item.',
  examples: [
    {
      type: 'object',
      properties: { name: { type: 'string' }, price: { type: 'number', 'x-selector': '.price' } },
      required: ['name'],
    },
  ],
})

const model = Type.Optional(
  Type.String({
    maxLength: 10_000,
    description: 'For a language model, which this version has not: requests with it are 503 not_configured.',
  }),
)

export const PageExtractRequest = Type.Object(
  { schema: ClientSchema, prompt: model, model },
  { $id: 'PageExtractRequest' },
)

export const ExtractedField = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer to the value in `data`.' }),
    from: Type.Union(
      [
        Type.Literal('selector'),
        Type.Literal('jsonld'),
        Type.Literal('microdata'),
        Type.Literal('opengraph'),
        Type.Literal('table'),
      ],
      {
        description:
          'The kind of source. opengraph: Open Graph and other metadata of the head. table: tables and definition lists.',
      },
    ),
    where: Type.String({ description: 'The place in the source, such as `json_ld[0].offers.price`.' }),
  },
  { description: 'The source of a value.' },
)
export type ExtractedField = Static<typeof ExtractedField>

export const Extraction = Type.Object(
  {
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The filled object. Properties without a value on the page are null.',
    }),
    fields: Type.Array(ExtractedField, { description: 'The source of each value.' }),
    valid: Type.Boolean({ description: 'Whether the object, without its nulls, is valid by the schema.' }),
    errors: Type.Array(
      Type.Object({
        path: Type.String({ description: 'JSON pointer to the invalid value.' }),
        message: Type.String({ description: 'The rule that it breaks.' }),
      }),
      { description: 'At most 50 errors.' },
    ),
  },
  { $id: 'Extraction', description: 'Values by the JSON Schema of the request.' },
)
export type Extraction = Static<typeof Extraction>

export const PageExtraction = Type.Object(
  {
    id: said(Id, 'The page.'),
    url: Type.String({ description: 'URL of the page, after all redirects.' }),
    status: Type.Integer({ description: 'HTTP status of the target.' }),
    extraction: Extraction,
    warnings,
  },
  { $id: 'PageExtraction' },
)
export type PageExtraction = Static<typeof PageExtraction>
