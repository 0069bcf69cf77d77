/** Writes the schemas of the document as TypedDicts: a required and an optional part each, as Python 3.9 needs them. */
import {
  type Document,
  docstring,
  hasWarnings,
  isIdentifier,
  nameOf,
  type Schema,
  typesOf,
} from './document.ts'

const head = `"""Types of requests and responses, generated from the OpenAPI document: do not edit.

\`node test/python-sdk.ts\` writes this file, and a test compares it with the document.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
`

const simple: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** Collects the classes of a document. */
export class Types {
  readonly #classes: string[] = []
  readonly #names: Set<string>
  readonly #warned: Schema
  /** The classes of nested schemas, so that one that is read again by another path has one class. */
  readonly #nestedNames = new Map<Schema, string>()

  /** The reserved names belong to the components. Classes of objects with the fields of `warned` inherit these. */
  constructor(reserved: Iterable<string>, warned: Schema) {
    this.#names = new Set(reserved)
    this.#warned = warned
    this.#addClass(warnedClass, warned)
  }

  /** Returns the Python type of a schema. Objects with properties become classes, named after their place. */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref)
    if (schema.anyOf !== undefined) return this.#union(schema.anyOf, name)
    if (schema.const !== undefined) return literal([schema.const])
    const { names, isNullable } = typesOf(schema)
    const values = schema.enum?.filter(value => value !== null)
    const plain =
      values === undefined
        ? names.map(type => this.#plain(type, schema, name)).join(', ') || 'Any'
        : literal(values)
    const one = names.length > 1 && values === undefined ? `Union[${plain}]` : plain
    return isNullable && one !== 'Any' ? `Optional[${one}]` : one
  }

  #union(schemas: Schema[], name: string): string {
    const endings = endingsOf(schemas)
    const kinds = schemas.map((schema, n) => this.typeOf(schema, `${name}${endings[n]}`))
    const others = [...new Set(kinds.filter(kind => kind !== 'None'))]
    const one = others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`
    return kinds.includes('None') ? `Optional[${one}]` : one
  }

  #plain(type: string, schema: Schema, name: string): string {
    if (type === 'array') return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`
    if (type !== 'object') return simple[type] ?? 'Any'
    if (Object.keys(schema.properties ?? {}).length > 0) return this.#nested(name, schema)
    const others = schema.additionalProperties
    return `Dict[str, ${typeof others === 'object' ? this.typeOf(others, `${name}Value`) : 'Any'}]`
  }

  #nested(wanted: string, schema: Schema): string {
    const known = this.#nestedNames.get(schema)
    if (known !== undefined) return known
    let name = wanted
    for (let n = 2; this.#names.has(name); n++) name = `${wanted}${n}`
    this.#names.add(name)
    this.#nestedNames.set(schema, name)
    this.#addClass(name, schema)
    return name
  }

  #addClass(name: string, schema: Schema): void {
    const required = new Set(schema.required)
    const isWarned = name !== warnedClass && hasWarnings(schema, this.#warned)
    const entries = Object.entries(schema.properties ?? {})
    const own = isWarned ? entries.filter(([key]) => key !== 'warnings') : entries
    const fields = own.map(([key, of]) => ({
      key,
      type: this.typeOf(of, name + pascal(key)),
      summary: of.description,
      isRequired: required.has(key),
    }))
    this.#classes.push(classOf(name, fields, isWarned ? [warnedClass] : [], schema.description))
  }

  /** Adds a schema under its reserved name: an object as a class, anything else as an alias. */
  add(name: string, schema: Schema): void {
    if (schema.properties !== undefined && schema.anyOf === undefined) this.#addClass(name, schema)
    else this.#classes.push(`${name} = ${this.typeOf(schema, name)}\n`)
  }

  /** Returns whether there is a class or an alias with this name. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  text(): string {
    return `${head}\n${this.#classes.map(text => `\n${text}`).join('\n')}`
  }
}

/**
 * Returns the endings of the names of alternatives: their different constants, so that an alternative that is added
 * later renames no other; their numbers if the constants are equal.
 */
function endingsOf(schemas: readonly Schema[]): string[] {
  const named = schemas.map(({ properties = {} }) => Object.entries(properties).map(endingOf).join(''))
  const areDistinct = !named.includes('') && new Set(named).size === named.length
  return areDistinct ? named : schemas.map((_, n) => String(n + 1))
}

function endingOf([key, { const: constant, enum: values }]: [string, Schema]): string {
  const value = values?.length === 1 ? values[0] : constant
  if (typeof value === 'boolean') return value ? pascal(key) : `Not${pascal(key)}`
  return typeof value === 'string' ? pascal(value) : ''
}

type Field = { key: string; type: string; summary: string | undefined; isRequired: boolean }

const warnedClass = 'Warned'

function classOf(name: string, fields: Field[], parents: string[], summary?: string): string {
  const inherited: string[] = []
  const bases = [...parents]
  const part = (ending: string, of: Field[], total: boolean) => {
    const plain = of.filter(({ key }) => isIdentifier(key))
    const odd = of.filter(({ key }) => !isIdentifier(key))
    const options = total ? '' : ', total=False'
    if (odd.length > 0) {
      const base = `_${name}${ending}Keys`
      bases.push(base)
      const entries = odd.map(({ key, type }) => `    ${quoted(key)}: ${quoted(type)},`)
      inherited.push(
        `${base} = TypedDict(\n    ${quoted(base)},\n    {\n${entries.map(line => `    ${line}`).join('\n')}\n    }${options},\n)\n`,
      )
    }
    return plain
  }
  const required = part(
    'Required',
    fields.filter(field => field.isRequired),
    true,
  )
  const optional = part(
    'Optional',
    fields.filter(field => !field.isRequired),
    false,
  )
  if (required.length > 0 && optional.length > 0) {
    const base = `_${name}Required`
    inherited.push(`class ${base}(TypedDict):\n${body(required)}\n`)
    bases.push(base)
  }
  const own = optional.length > 0 ? optional : required
  const total = optional.length > 0 ? ', total=False' : ''
  const doc = summary === undefined ? [] : [...docstring(summary, '    '), '']
  const rest = own.length > 0 ? body(own) : '    pass'
  return [
    ...inherited.map(text => `${text}\n`),
    `class ${name}(${bases.join(', ') || 'TypedDict'}${total}):\n${[...doc, rest].join('\n')}\n`,
  ].join('\n')
}

const body = (fields: Field[]): string =>
  fields
    .flatMap(({ key, type, summary }) => [
      `    ${key}: ${type}`,
      ...(summary === undefined ? [] : docstring(summary, '    ')),
    ])
    .join('\n')

const literal = (values: unknown[]): string =>
  `Literal[${values.map(value => (typeof value === 'boolean' ? pythonBoolean(value) : JSON.stringify(value))).join(', ')}]`

const pythonBoolean = (value: boolean): string => (value ? 'True' : 'False')

const quoted = (text: string): string => JSON.stringify(text)

export const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the types of all components and of the events of a crawl. Those with the field of `warned` inherit it. */
export function typesOfDocument(document: Document, warned: Schema): Types {
  const events = document.paths['/v1/crawls/{id}/events']?.get?.responses['200']?.content
  const data = Object.entries(events?.['text/event-stream']?.schema?.['x-data'] ?? {})
  const named = [
    ...Object.entries(document.components.schemas),
    ...data.map(([event, schema]) => [`${pascal(event)}Data`, schema] as const),
  ]
  const types = new Types([warnedClass, ...named.map(([name]) => name)], warned)
  for (const [name, schema] of named) types.add(name, schema)
  return types
}
