/** Writes the methods of the asynchronous client, one class for each group. */

import { type Document, docstring, wrapped } from './document.ts'
import { type Method, methodsOf, type Rules } from './methods.ts'
import { longActors, patience } from './names.ts'
import { type Argument, argumentsOf, qualified, resolved, rowFormatsOf } from './signature.ts'
import { pascal, type Types } from './types.ts'

const head = `"""One method for each operation of the API, generated from the OpenAPI document: do not edit.

\`node test/python-sdk.ts\` writes this file, and a test compares it with the document.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Union, cast

from .. import types
from .._calls import OMITTED, Call, Omitted, Progress, segment, segments
from .listing import AsyncListing, AsyncNumberedListing, AsyncTimedListing
from .transport import AsyncGroup
`

/** Returns the text of the module. Throws an Error for an operation without a name. */
export function operationsText(document: Document, types: Types, rules: Rules): string {
  const groups = Map.groupBy(methodsOf(document, rules), ({ name }) =>
    name.includes('.') ? name.split('.')[0] : 'root',
  )
  const classes = [...groups].map(([group = '', methods]) => {
    const texts = methods.map(method => methodText(document, types, method))
    return `class Async${pascal(group)}Operations(AsyncGroup):\n${texts.join('\n')}`
  })
  return `${head}\n\n${classes.join('\n\n')}`
}

function methodText(document: Document, types: Types, method: Method): string {
  const given = argumentsOf(document, method.operation, types)
    .filter(({ key }) => !method.without.includes(key))
    .map(argument => ({
      ...argument,
      isRequired: argument.isRequired || method.required.includes(argument.key),
    }))
  const answer = answerOf(document, types, method)
  const options = optionsOf(method, answer)
  const parameters = [
    '        self,',
    ...given.filter(({ isRequired }) => isRequired).map(({ name, type }) => `        ${name}: ${type},`),
    '        *,',
    ...given.filter(({ isRequired }) => !isRequired).map(optional),
    ...options.map(({ name, type }) => `        ${name}: ${type} = None,`),
  ]
  const isListing = answer.listing !== undefined
  const returns = isListing ? answer.listing : answer.type
  const [, own = method.name] = method.name.split('.')
  return [
    `    ${isListing ? '' : 'async '}def ${own}(\n${parameters.join('\n')}\n    ) -> ${returns}:`,
    ...describe(method, given, options, rowFormatsOf(document, method.operation)),
    ...callOf(method, given, options, answer),
    ...result(answer, options, method.itemKey),
    '',
  ].join('\n')
}

const optional = ({ name, type }: Argument): string =>
  type.startsWith('Optional[')
    ? `        ${name}: Union[${type}, Omitted] = OMITTED,`
    : `        ${name}: Optional[${type}] = None,`

type Answer = { type: string; listing?: string; itemsKey?: string; isText: boolean; hasProgress: boolean }

function answerOf(document: Document, types: Types, { operation, status, method, name }: Method): Answer {
  const content = operation.responses[status]?.content ?? {}
  const isText = content['text/plain'] !== undefined
  const hasProgress = method === 'post' && content['text/event-stream'] !== undefined
  const schema = content['application/json']?.schema
  if (schema === undefined) return { type: isText ? 'str' : 'None', isText, hasProgress }
  const type = qualified(types.typeOf(schema, `${pascal(name)}Answer`), types)
  const { properties = {} } = resolved(document, schema)
  const itemsKey = ['items', 'scrapers'].find(key => properties[key] !== undefined)
  if (method !== 'get' || itemsKey === undefined) {
    return { type: isText ? `Union[str, ${type}]` : type, isText, hasProgress }
  }
  const item = qualified(types.typeOf(properties[itemsKey]?.items ?? {}, 'Item'), types)
  const isTimed = (operation.parameters ?? []).some(parameter => parameter.name === 'until')
  const kind =
    itemsKey === 'scrapers' ? 'AsyncNumberedListing' : isTimed ? 'AsyncTimedListing' : 'AsyncListing'
  return { type, listing: `${kind}[${item}, ${type}]`, itemsKey, isText, hasProgress }
}

type Option = { name: string; type: string; summary: string }

function optionsOf({ operation, status }: Method, { type, hasProgress }: Answer): Option[] {
  const headers = (operation.parameters ?? []).map(({ $ref, name }) => $ref ?? name ?? '')
  const isCached = headers.some(name => name.endsWith('IfNoneMatch')) && status !== '204'
  return [
    ...(headers.includes('Idempotency-Key')
      ? [
          {
            name: 'idempotency_key',
            type: 'Optional[str]',
            summary: 'A key of your own; by default a new one for each call.',
          },
        ]
      : []),
    ...(isCached
      ? [
          {
            name: 'known',
            type: `Optional[${type}]`,
            summary: 'An earlier response, which is returned again if nothing has changed.',
          },
        ]
      : []),
    ...(hasProgress
      ? [
          {
            name: 'on_progress',
            type: 'Optional[Callable[[Progress], None]]',
            summary: 'Receives the progress of the work.',
          },
        ]
      : []),
    {
      name: 'timeout',
      type: 'Optional[float]',
      summary: 'Seconds to wait for the service. Default: the timeout of the client.',
    },
  ]
}

function describe(
  { summary, operation: { description = '' } }: Method,
  given: Argument[],
  options: Option[],
  rowFormats: string[],
): string[] {
  const indent = '        '
  const rows = [...given, ...options].flatMap(({ name, summary }) =>
    wrapped(`${name}: ${summary}`, `${indent}    `, `${indent}        `),
  )
  const [first = '', ...more] = docstring(`${summary}.`, indent)
  const opening = first.replace(/"""$/, '')
  return [
    opening,
    ...more,
    '',
    ...wrapped(description, indent),
    ...(rowFormats.length === 0 ? [] : ['', ...wrapped(rowsNote(rowFormats), indent)]),
    '',
    `${indent}Args:`,
    ...rows,
    `${indent}"""`,
  ]
}

const rowsNote = (formats: string[]): string =>
  `For ${formats.map(format => format.toUpperCase()).join(' or ')}, send \`format\` with \`client.request\`.`

function callOf(
  { method, path, operation, isIdempotent }: Method,
  given: Argument[],
  options: Option[],
  answer: Answer,
): string[] {
  const of = (location: Argument['location']) => given.filter(argument => argument.location === location)
  const dictionary = (all: Argument[]) =>
    [
      '{',
      ...all.map(({ key, name }) => `                ${JSON.stringify(key)}: ${name},`),
      '            }',
    ].join('\n')
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => `{${name === 'path' ? 'segments' : 'segment'}(${name})}`,
  )
  const has = (name: string) => options.some(option => option.name === name)
  const nullable = of('body').flatMap(({ key, type }) => (type.startsWith('Optional[') ? [key] : []))
  const least = patience[operation.operationId]
  const parts = [
    JSON.stringify(method.toUpperCase()),
    `${target === path ? '' : 'f'}${JSON.stringify(target)}`,
    ...(of('query').length > 0 ? [`query=${dictionary(of('query'))}`] : []),
    ...(of('body').length > 0 ? [`body=${dictionary(of('body'))}`] : []),
    ...(nullable.length > 0
      ? [`nullable=(${nullable.map(key => `${JSON.stringify(key)},`).join(' ')})`]
      : []),
    ...(operation.requestBody !== undefined && operation.requestBody.required !== true
      ? ['needs_body=False']
      : []),
    ...(isIdempotent ? ['idempotent=True'] : []),
    ...(method === 'delete' && answer.type === 'None' ? ['empty=True'] : []),
    ...(has('idempotency_key') ? ['keyed=True', 'idempotency_key=idempotency_key'] : []),
    ...(has('known') ? ['known=known'] : []),
    ...(operation.security?.length === 0 ? ['public=True'] : []),
    ...(answer.isText ? ['text=True'] : []),
    ...(least === undefined ? [] : [`patience=${least}`]),
    ...(longActors.has(operation.operationId) ? ['long=True'] : []),
    'timeout=timeout',
  ]
  return ['        call = Call(', ...parts.map(part => `            ${part},`), '        )']
}

function result({ type, listing, itemsKey }: Answer, options: Option[], itemKey?: string): string[] {
  if (listing !== undefined) {
    const keys = [itemsKey, ...(itemKey === undefined ? [] : [itemKey])].map(key => JSON.stringify(key))
    return [`        return ${listing}(self._transport, call, ${keys.join(', ')})`]
  }
  const sent = options.some(({ name }) => name === 'on_progress')
    ? 'await self._transport.send_with_progress(call, on_progress)'
    : 'await self._transport.send(call)'
  return [
    type === 'None'
      ? `        ${sent}`
      : `        return cast(${JSON.stringify(type).replaceAll('\\"', "'")}, ${sent})`,
  ]
}
