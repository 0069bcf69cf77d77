/** Pages in the shape of Wiktionary's. */
import type { Saved } from '../saved.examples.ts'

const page = `<html><body><h1 id="firstHeading" class="firstHeading"><span class="mw-page-title-main">tide</span></h1>
<div class="mw-indicators"><div id="mw-indicator-lock" class="mw-indicator"><div class="mw-parser-output"><a href="/wiki/Lock">Locked</a></div></div></div>
<div id="mw-content-text"><div class="mw-content-ltr mw-parser-output"><div class="mw-heading mw-heading2"><h2 id="English">English</h2><span class="mw-editsection">[edit]</span></div>
<div class="mw-heading mw-heading3"><h3 id="Etymology">Etymology</h3></div><p>From something older.</p><ol><li>not a meaning</li></ol>
<div class="mw-heading mw-heading3"><h3 id="Noun">Noun</h3></div><p><span class="headword-line"><strong class="Latn headword">tide</strong> (<i>plural</i> <b>tides</b>)</span></p>
<ol><li><span class="usage-label">(nautical)</span> The rise and fall of the <a href="/wiki/sea">sea</a>.<sup class="reference">[1]</sup><dl><dd>The <i>tide</i> was out.</dd></dl></li>
<li>A stream.<ul><li>2026, Ada Keel, page 7</li></ul></li>
<li><span class="usage-label">(by extension)</span> A change.<ol><li>A rise.<dl><dd>The <i>tide</i> rose.<ol><li>no sense</li></ol></dd></dl><ol><li>A sudden rise.</li></ol></li><li>A fall.</li></ol></li>
<li><ol><li>A <a href="/wiki/time">time</a> of prayer.</li></ol></li></ol><ol><li>not a meaning either</li></ol>
<h3><span class="mw-headline" id="Verb">Verb</span></h3><p>tide (third person <b>tides</b>)</p><ol><li>To float.</li></ol>
<div class="mw-heading mw-heading2"><h2 id="Norwegian">Norwegian</h2></div><h3 id="Noun_2">Noun</h3><p><b>tide</b> <span class="gender">f</span></p><ol><li>time</li></ol>
</div></div></body></html>`

const word = 'tide'
const english = [
  {
    word,
    language: 'English',
    part_of_speech: 'Noun',
    headword: 'tide (plural tides)',
    definitions: [
      '(nautical) The rise and fall of the sea.',
      'A stream.',
      '(by extension) A change.',
      'A rise.',
      'A sudden rise.',
      'A fall.',
      'A time of prayer.',
    ],
  },
  {
    word,
    language: 'English',
    part_of_speech: 'Verb',
    headword: 'tide (third person tides)',
    definitions: ['To float.'],
  },
]
const norwegian = {
  word,
  language: 'Norwegian',
  part_of_speech: 'Noun',
  headword: 'tide f',
  definitions: ['time'],
}

export const saved: Saved = {
  full: {
    path: 'wiki/tide',
    url: 'https://en.wiktionary.org/wiki/tide',
    page,
    data: [...english, norwegian],
  },
  partial: {
    path: 'wiki/ebb/flow',
    url: 'https://en.wiktionary.org/wiki/ebb/flow',
    page: '<h1 id=firstHeading>ebb</h1><div class=mw-parser-output><h2>Scots</h2><h4>Verb</h4><ol><li></ol>',
    data: [{ word: 'ebb', language: 'Scots', part_of_speech: 'Verb', definitions: [] }],
  },
  more: [
    {
      path: 'wiki/tide',
      params: { language: ' norwegian' },
      url: 'https://en.wiktionary.org/wiki/tide',
      page,
      data: [norwegian],
    },
    {
      path: 'wiki/tide',
      params: { language: 'Klingon' },
      url: 'https://en.wiktionary.org/wiki/tide',
      page,
      data: [],
    },
  ],
  other: '<h1 id=firstHeading>tidde</h1><div class=mw-parser-output><p>There is no such page yet.</div>',
  refused: ['wiki', 'wiki/', 'wiki/_special :Search', 'wiki/a|b', 'wiki/a\\b', 'wiki/a//b', 'wiki/a%2fb'],
}
