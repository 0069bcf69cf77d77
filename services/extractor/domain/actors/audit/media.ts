/** Accessibility of what moves, sounds and is drawn. */
import { attribute } from '@tidemark/html/tree/attribute'
import { tagOf } from './headings.ts'
import type { Entry } from './page-index.ts'
import { among, counted, type Rule } from './rule.ts'
import { html, wcag } from './sources.ts'

export const mediaRules: readonly Rule[] = [
  {
    id: 'a11y/autoplay',
    on: 'pages',
    severity: 'warning',
    finds: 'An audio or video with autoplay that is not muted',
    reason: 'It drowns the voice of a screen reader, and startles everybody else.',
    source: wcag('1.4.2 Audio Control (failure F93)', 'audio-control'),
    find: ({ index }) =>
      among(
        index
          .of('audio', 'video')
          .filter(({ element }) => has(element, 'autoplay') && !has(element, 'muted')),
        n =>
          `${counted(n, 'medium', 'media')} ${n === 1 ? 'plays' : 'play'} unasked, with sound. Mute ${n === 1 ? 'it' : 'them'}, or let people start.`,
        shown,
      ),
  },
  {
    id: 'a11y/video-captions',
    on: 'pages',
    severity: 'info',
    finds: 'A `<video controls>` that is not muted and has no track of captions or subtitles',
    reason: 'Unless captions are in the picture, who does not hear misses what is said.',
    source: wcag('1.2.2 Captions (Prerecorded)', 'captions-prerecorded'),
    find: ({ index }) =>
      among(
        index
          .of('video')
          .filter(
            ({ element }) => has(element, 'controls') && !has(element, 'muted') && !hasCaptions(element),
          ),
        n =>
          `${counted(n, 'video')} ${n === 1 ? 'has' : 'have'} no captions. Add a track element where there is speech.`,
        shown,
      ),
  },
  {
    id: 'a11y/drawing-name',
    on: 'pages',
    severity: 'error',
    finds: 'An `<svg role=img>` without title or label',
    reason: 'It is announced as an image, and nothing is said of it.',
    source: wcag('1.1.1 Non-text Content', 'non-text-content'),
    find: ({ index }) =>
      among(
        index
          .of('svg')
          .filter(
            ({ element, isNamed, isHidden }) =>
              /^(?:img|graphics-\w+)$/.test(attribute(element, 'role') ?? '') && !isNamed && !isHidden,
          ),
        n =>
          `${counted(n, 'drawing')} ${n === 1 ? 'has' : 'have'} no name. Add a title or aria-label; aria-hidden="true" where it is decoration.`,
        shown,
      ),
  },
  {
    id: 'a11y/moving-text',
    on: 'pages',
    severity: 'error',
    finds: 'A `<blink>` or `<marquee>`',
    reason: 'Moving text cannot be stopped, and keeps some people from reading anything else.',
    source: wcag('2.2.2 Pause, Stop, Hide (failures F16, F47)', 'pause-stop-hide'),
    find: page =>
      among(
        page.index.of('blink', 'marquee'),
        n =>
          `${counted(n, 'element')} ${n === 1 ? 'moves or blinks' : 'move or blink'}. Let the text stand still.`,
        entry => page.index.text(entry, 80) || tagOf(entry.element),
      ),
  },
  {
    id: 'a11y/object-alternative',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<object>` with data, and without content, label or title',
    reason: 'Where its type is not supported, or not seen, nothing stands in its place.',
    source: html('the object element', 'iframe-embed-object.html#the-object-element'),
    find: ({ index }) =>
      among(
        index
          .of('object')
          .filter(
            entry => has(entry.element, 'data') && !entry.isNamed && !entry.isHidden && isHollow(entry),
          ),
        n =>
          `${counted(n, 'object')} ${n === 1 ? 'has' : 'have'} no alternative. Put a text or a link into it.`,
        shown,
      ),
  },
]

const has = (element: Entry['element'], name: string): boolean => attribute(element, name) !== null

const hasCaptions = ({ children }: Entry['element']): boolean =>
  children.some(
    child =>
      'attribs' in child &&
      child.name === 'track' &&
      /^(?:captions|subtitles|)$/i.test(child.attribs.kind ?? ''),
  )

/** Its text is not shown to who sees the object, and so is not in the line. */
const isHollow = ({ element }: Entry): boolean =>
  !element.children.some(child =>
    'attribs' in child ? child.name !== 'param' : 'data' in child && child.data.trim() !== '',
  )

const shown = ({ element }: Entry): string => tagOf(element)
