/** Accessibility of audio, video, drawings and moving text. */
import { attribute } from '@tidemark/html/tree/attribute'
import { type Entry, tagOf } from './page-index.ts'
import { among, type Rule } from './rule.ts'
import { html, wcag } from './sources.ts'

export const mediaRules: readonly Rule[] = [
  {
    id: 'a11y/autoplay',
    severity: 'warning',
    finds: 'Unmuted audio or video with autoplay',
    reason: 'It covers the voice of a screen reader and startles visitors.',
    source: wcag('1.4.2 Audio Control (failure F93)', 'audio-control'),
    find: ({ index }) =>
      among(
        index
          .of('audio', 'video')
          .filter(({ element }) => has(element, 'autoplay') && !has(element, 'muted')),
        {
          one: '1 medium plays automatically with sound.',
          many: '{n} media play automatically with sound.',
          remedy: {
            one: 'Mute it, or let visitors start it.',
            many: 'Mute them, or let visitors start them.',
          },
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/video-captions',
    severity: 'info',
    finds: 'An unmuted `<video controls>` without a track of captions or subtitles',
    reason: 'Deaf viewers miss the speech, unless the captions are part of the picture.',
    source: wcag('1.2.2 Captions (Prerecorded)', 'captions-prerecorded'),
    find: ({ index }) =>
      among(
        index
          .of('video')
          .filter(
            ({ element }) => has(element, 'controls') && !has(element, 'muted') && !hasCaptions(element),
          ),
        {
          one: '1 video has no captions.',
          many: '{n} videos have no captions.',
          remedy: 'Add a track element to videos with speech.',
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/drawing-name',
    severity: 'error',
    finds: 'An `<svg role=img>` without title or label',
    reason: 'Screen readers announce an image without a description.',
    source: wcag('1.1.1 Non-text Content', 'non-text-content'),
    find: ({ index }) =>
      among(
        index
          .of('svg')
          .filter(
            ({ element, isNamed, isHidden }) =>
              /^(?:img|graphics-\w+)$/.test(attribute(element, 'role') ?? '') && !isNamed && !isHidden,
          ),
        {
          one: '1 drawing has no name.',
          many: '{n} drawings have no name.',
          remedy: 'Add a title or aria-label; use aria-hidden="true" for decoration.',
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/moving-text',
    severity: 'error',
    finds: 'A `<blink>` or `<marquee>`',
    reason: 'Moving text cannot be stopped, and distracts some readers from the rest of the page.',
    source: wcag('2.2.2 Pause, Stop, Hide (failures F16, F47)', 'pause-stop-hide'),
    find: page =>
      among(
        page.index.of('blink', 'marquee'),
        {
          one: '1 element moves or blinks.',
          many: '{n} elements move or blink.',
          remedy: 'Use static text.',
        },
        entry => page.index.text(entry, 80) || tagOf(entry),
      ),
  },
  {
    id: 'a11y/object-alternative',
    severity: 'warning',
    finds: 'An `<object>` with data, but without content, label or title',
    reason: 'Browsers that cannot show its type show nothing.',
    source: html('the object element', 'iframe-embed-object.html#the-object-element'),
    find: ({ index }) =>
      among(
        index
          .of('object')
          .filter(
            entry => has(entry.element, 'data') && !entry.isNamed && !entry.isHidden && isHollow(entry),
          ),
        {
          one: '1 object has no alternative content.',
          many: '{n} objects have no alternative content.',
          remedy: 'Put a text or a link into the element.',
        },
        tagOf,
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

/** Browsers show the text of an object only if they cannot show the object, so the page's text does not contain it. */
const isHollow = ({ element }: Entry): boolean =>
  !element.children.some(child =>
    'attribs' in child ? child.name !== 'param' : 'data' in child && child.data.trim() !== '',
  )
