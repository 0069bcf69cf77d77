/** Values of a page by a JSON Schema of the client: the schema, and the filled values with their sources. */
import { type Static, Type } from 'typebox'
import { count, described, Id, oneOf } from '../primitives.ts'
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

export const ofPrompt =
  'Instruction for the language model of this installation, which then fills the properties that are still null. Requires the consent of the project (`PUT /v1/model-consent`). Without a model: 503 not_configured.'

/** Fields by which a client requests a language model. */
const modelFields = {
  prompt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: ofPrompt,
      examples: ['The price is the one for a single item.'],
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Requests the language model without a prompt: `default`, or its name.',
      examples: ['default'],
    }),
  ),
}

export const PageExtractRequest = Type.Object(
  { schema: ClientSchema, ...modelFields },
  { $id: 'PageExtractRequest' },
)

export const ExtractedField = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer to the value in `data`.' }),
    from: oneOf(['selector', 'jsonld', 'microdata', 'opengraph', 'table', 'model'], {
      description:
        'The kind of source. opengraph: Open Graph and other metadata of the head. table: tables and definition lists. model: a language model, whose value is in the text or the links of the page.',
    }),
    where: Type.String({
      description:
        'The place in the source, such as `json_ld[0].offers.price`. For a model the line of the page that has the value, such as `text: Price: 49.90 EUR`.',
    }),
  },
  { description: 'The source of a value.' },
)
export type ExtractedField = Static<typeof ExtractedField>

/** Tokens are counted by the server of the model, or estimated if it does not report them. */
export const ModelUse = Type.Object(
  {
    name: Type.String({ description: 'The name of the model.' }),
    input_tokens: count('Tokens that the model received.'),
    output_tokens: count('Tokens that the model wrote.'),
  },
  { $id: 'ModelUse', description: 'The language model that was used. Absent: none was used.' },
)
export type ModelUse = Static<typeof ModelUse>

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
    model: Type.Optional(ModelUse),
  },
  { $id: 'Extraction', description: 'Values by the JSON Schema of the request.' },
)
export type Extraction = Static<typeof Extraction>

export const PageExtraction = Type.Object(
  {
    id: described(Id, 'The page.'),
    url: Type.String({ description: 'URL of the page, after all redirects.' }),
    status: Type.Integer({ description: 'HTTP status of the target.' }),
    extraction: Extraction,
    warnings,
  },
  { $id: 'PageExtraction' },
)
