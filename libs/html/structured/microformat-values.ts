/**
 * Reads the value of a property's element by the kind of the property: "microformats2 parsing", sections p-, u-, dt-
 * and e-.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import type { Limits } from './limits.ts'
import { MarkupLine } from './markup.ts'
import type { PropertyKind } from './microformat-classes.ts'
import { momentOf } from './microformat-dates.ts'
import { firstFrom, type Outline } from './outline.ts'
import { TextLine } from './text-line.ts'

export type PlainValue = string | { value: string; alt: string } | { value: string; html: string }

/** Maximum pieces that are visited on the whole page, because nested properties share them. */
const maxPieces = 200_000

/** An attribute with the value, and the elements where it counts. */
type Rule = readonly [attribute: string, elements: ReadonlySet<string>]

const rule = (attribute: string, elements: string): Rule => [attribute, new Set(elements.split(' '))]

const textRules = [rule('title', 'abbr link'), rule('value', 'data input'), rule('alt', 'img area')]
const momentRules = [rule('datetime', 'time ins del'), rule('title', 'abbr'), rule('value', 'data input')]
const addressRules = [
  rule('href', 'a area link'),
  rule('src', 'img audio video source iframe'),
  rule('poster', 'video'),
  rule('data', 'object'),
]
const otherAddressRules = [rule('title', 'abbr'), rule('value', 'data input')]
const pieceRules = [rule('alt', 'img area'), rule('value', 'data'), rule('title', 'abbr')]
const momentPieceRules = [rule('datetime', 'time ins del'), ...pieceRules, rule('value', 'input')]

export class Values {
  readonly #outline: Outline
  readonly #limits: Limits
  /** Returns whether an element begins a separate microformat. */
  readonly #isRoot: (position: number) => boolean
  readonly #pieces: number[] = []
  #left = maxPieces
  #text: TextLine | null = null
  #content: TextLine | null = null
  #markup: MarkupLine | null = null

  constructor(outline: Outline, limits: Limits, isRoot: (position: number) => boolean) {
    this.#outline = outline
    this.#limits = limits
    this.#isRoot = isRoot
    for (const [position, { attribs }] of outline.elements.entries()) {
      const classes = attribs.class === undefined ? [] : wordsAsWritten(attribs.class)
      if (classes.includes('value') || classes.includes('value-title')) this.#pieces.push(position)
    }
  }

  of(position: number, kind: PropertyKind): PlainValue {
    if (kind === 'e') return this.#embedded(position)
    if (kind === 'u') return this.#address(position)
    if (kind === 'dt') return this.#moment(position)
    return this.#plain(position)
  }

  /** Returns the text, with alternative texts of images. */
  text(position: number): string {
    this.#text ??= new TextLine(this.#outline, element => silent(element) ?? pictureText(element))
    return this.#text.of(position).trim()
  }

  picture(position: number, attribute: 'src' | 'data' = 'src'): PlainValue {
    const { attribs } = this.#outline.element(position)
    const value = this.#outline.resolve(attribs[attribute] ?? '')
    return attribute === 'data' || attribs.alt === undefined ? value : { value, alt: attribs.alt }
  }

  #plain(position: number): string {
    const pieces = this.#piecesOf(position, pieceRules)
    if (pieces.length > 0) return pieces.join('').trim()
    return attributeBy(textRules, this.#outline.element(position)) ?? this.text(position)
  }

  #address(position: number): PlainValue {
    const element = this.#outline.element(position)
    if (element.name === 'img' && element.attribs.src !== undefined) return this.picture(position)
    const stated = attributeBy(addressRules, element)
    if (stated !== null) return this.#outline.resolve(stated)
    const pieces = this.#piecesOf(position, pieceRules)
    const value = pieces.length > 0 ? pieces.join('') : attributeBy(otherAddressRules, element)
    const text = value?.trim() ?? this.#contentText(position)
    // Several words are not an address.
    return /\s/.test(text) ? text : this.#outline.resolve(text)
  }

  #moment(position: number): string {
    const pieces = this.#piecesOf(position, momentPieceRules)
    if (pieces.length > 0) return momentOf(pieces)
    return attributeBy(momentRules, this.#outline.element(position))?.trim() ?? this.text(position)
  }

  #embedded(position: number): PlainValue {
    const { name } = this.#outline.element(position)
    this.#markup ??= new MarkupLine(this.#outline, address => this.#outline.resolve(address))
    // An image has no content itself, regardless of its replacement in the content of others.
    const value = name === 'img' ? '' : this.#contentText(position)
    return { value, html: this.#markup.inside(position).trim() }
  }

  /** Returns the text, with alternative texts or else addresses of images. */
  #contentText(position: number): string {
    const resolve = (address: string): string => this.#outline.resolve(address)
    this.#content ??= new TextLine(
      this.#outline,
      element => silent(element) ?? pictureContent(element, resolve),
    )
    return this.#content.of(position).trim()
  }

  /**
   * Returns the pieces of the value class pattern: elements with a part of the value, none inside another or inside a
   * microformat.
   */
  #piecesOf(position: number, rules: readonly Rule[]): string[] {
    const end = this.#outline.end(position)
    const pieces: string[] = []
    let from = position + 1
    for (let next = firstFrom(this.#pieces, from); next < this.#pieces.length; next++) {
      const at = this.#pieces[next] as number
      if (at >= end) break
      if (at < from) continue
      const root = this.#rootAround(at, position)
      from = this.#outline.end(root ?? at)
      this.#left -= 1
      if (this.#left < 0) this.#limits.exceeded = true
      if (this.#left < 0) break
      if (root === null) pieces.push(this.#piece(at, rules))
    }
    return pieces
  }

  #piece(position: number, rules: readonly Rule[]): string {
    const element = this.#outline.element(position)
    const isTitle = wordsAsWritten(element.attribs.class).includes('value-title')
    if (isTitle && element.attribs.title !== undefined) return element.attribs.title
    return attributeBy(rules, element) ?? this.text(position)
  }

  /** Returns the microformat that an element of a property is in, or is itself. */
  #rootAround(position: number, property: number): number | null {
    for (let at = position; at > property; at = this.#outline.parents[at] as number) {
      if (this.#isRoot(at)) return at
    }
    return null
  }
}

/** Returns the first attribute with the value of such an element, or null. */
function attributeBy(rules: readonly Rule[], { name, attribs }: Element): string | null {
  for (const [attribute, elements] of rules) {
    const value = elements.has(name) ? attribs[attribute] : undefined
    if (value !== undefined) return value
  }
  return null
}

/** Scripts and styles have no text. */
const silent = ({ name }: Element): string | null => (name === 'script' || name === 'style' ? '' : null)

const pictureText = ({ name, attribs }: Element): string | null =>
  name === 'img' ? (attribs.alt ?? '') : null

/** Returns the alternative text of an image, or else its address. */
function pictureContent({ name, attribs }: Element, resolve: (address: string) => string): string | null {
  if (name !== 'img') return null
  return attribs.alt ?? (attribs.src === undefined ? '' : ` ${resolve(attribs.src)} `)
}
