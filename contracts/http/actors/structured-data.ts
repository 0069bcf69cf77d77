/** `POST /v1/actors/structured-data`: the structured data of a page. */
import { type Static, Type } from 'typebox'
import { count, orNull } from '../../primitives.ts'
import { Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

export const StructuredDataRequest = Type.Object({ url: Url }, { $id: 'StructuredDataRequest' })

const ofEachSyntax = <T extends Type.TSchema>(description: string, of: (description: string) => T) =>
  Type.Object(
    {
      'json-ld': of(
        'JSON-LD as written. The members of an array are listed separately, and a graph is one object.',
      ),
      microdata: of('Microdata items in the JSON form of the WHATWG HTML standard, 5.5.1.'),
      rdfa: of('Nodes as expanded JSON-LD.'),
      opengraph: of('Properties by full names such as og:title. The page is one object.'),
      dublincore: of('Terms by names such as dc.title. The page is one object.'),
      microformat: of('Items in the form of microformats2 parsers.'),
    },
    { description },
  )

const StructuredError = Type.Object({
  syntax: Type.String({ description: 'The syntax with the error.' }),
  reason: Type.String({
    description: 'The error of the block, or the part of it that was left out, as a stable code.',
  }),
  block: orNull(Type.Integer({ description: 'Number of the JSON-LD block, counted from 0.' })),
  position: orNull(Type.Integer({ description: 'UTF-16 units from the start of that block.' })),
})

export const StructuredDataFound = Type.Object({
  counts: ofEachSyntax('Number of objects in each syntax.', count),
  data: ofEachSyntax('The objects, by syntax.', description =>
    Type.Array(Type.Object({}, { additionalProperties: true }), { description }),
  ),
  errors: Type.Array(StructuredError, { description: 'Errors in the data, and parts beyond a limit.' }),
})
export type StructuredDataFound = Static<typeof StructuredDataFound>

export const StructuredDataAnswer = actorAnswer(
  'structured-data',
  StructuredDataFound,
  'StructuredDataAnswer',
)
