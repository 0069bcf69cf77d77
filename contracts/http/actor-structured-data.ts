/** `POST /v1/actors/structured-data`: all that a page says in structured form. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { actorAnswer } from './actor.ts'
import { Url } from './cloud-page.ts'

export const StructuredDataRequest = Type.Object({ url: Url }, { $id: 'StructuredDataRequest' })
export type StructuredDataRequest = Static<typeof StructuredDataRequest>

const ofEachSyntax = <T extends Type.TSchema>(description: string, of: (description: string) => T) =>
  Type.Object(
    {
      'json-ld': of('JSON-LD, as it is written; an array stands for its members, a graph is one object.'),
      microdata: of('Items of the page in the JSON form of microdata (WHATWG HTML, 5.5.1).'),
      rdfa: of('Nodes as expanded JSON-LD.'),
      opengraph: of('Properties by full names such as og:title; the page is one object.'),
      dublincore: of('Terms by names such as dc.title; the page is one object.'),
      microformat: of('Items as microformats2 parsers give them.'),
    },
    { description },
  )

const StructuredError = Type.Object({
  syntax: Type.String({ description: 'Where it is wrong.' }),
  reason: Type.String({
    description: 'A stable code: what keeps the block from being read, or what of it was left out.',
  }),
  block: orNull(Type.Integer({ description: 'Which block of JSON-LD, from 0.' })),
  position: orNull(Type.Integer({ description: 'UTF-16 units from the start of that block.' })),
})

export const StructuredDataFound = Type.Object({
  counts: ofEachSyntax('How many there are of each syntax.', description =>
    Type.Integer({ minimum: 0, description }),
  ),
  data: ofEachSyntax('All of them, by syntax.', description =>
    Type.Array(Type.Object({}, { additionalProperties: true }), { description }),
  ),
  errors: Type.Array(StructuredError, { description: 'What is broken, or was too much.' }),
})
export type StructuredDataFound = Static<typeof StructuredDataFound>

export const StructuredDataAnswer = actorAnswer(
  'structured-data',
  StructuredDataFound,
  'StructuredDataAnswer',
)
export type StructuredDataAnswer = Static<typeof StructuredDataAnswer>
