/** Pages in the shape of Wikipedia's articles. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'wiki/Tide/Ebb (Møøn)?',
    url: 'https://en.wikipedia.org/wiki/Tide/Ebb%20(M%C3%B8%C3%B8n)%3F',
    page: `<!DOCTYPE html><html class="client-nojs" lang="en"><head><title>Tide table - Encyclopedia</title></head><body>
<nav class="vector-toc"><ul><li>Contents</li></ul></nav><main id="content" class="mw-body">
<h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">Tide table</span></h1>
<div id="bodyContent"><div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="en">
<div class="shortdescription nomobile" style="display:none"></div><div role="note" class="hatnote">For boats, see Boat.</div>
<table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above">Tide table</th></tr>
<tr><th scope="row" class="infobox-label">Invented</th><td class="infobox-data">1213<sup class="reference"><a href="#n1">[1]</a></sup></td></tr>
<tr><th scope="row">Place</th><td>London,<br>at the bridge</td></tr>
<tr><th scope="row">First use</th><td><span style="display:none">(<span class="bday">1213-05-01</span>)</span>1 May 1213</td></tr>
<tr><th scope="row">Where</th><td><span class="geo-dec">51.5°N 0.12°W</span><span style="display:none">; <span class="geo">51.5; -0.12</span></span></td></tr>
<tr style="display:none"><th scope="row">Sort key</th><td>tide table</td></tr></tbody></table>
<div style="display:none"><p>Only for machines.</p></div>
<p class="mw-empty-elt"></p><p>A <b>tide table</b> says when the <a href="/wiki/Water">water</a> is high.<sup id="r1" class="reference"><a href="#n1">[1]</a></sup></p>
<p>Sailors read it, and compute <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math
xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle E=mc^{2}}"><semantics><mrow class="MJX-TeXAtom-ORD"><mstyle displaystyle="true"><mi>E</mi><mo>=</mo><mi>m</mi>
<msup><mi>c</mi><mrow><mn>2</mn></mrow></msup></mstyle></mrow><annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></semantics></math></span><img
src="/math/e" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></span>.</p><meta property="mw:PageProp/toc">
<div class="mw-heading mw-heading2"><h2 id="Use">Use</h2><span class="mw-editsection">[<a href="/w/edit">edit</a>]</span></div>
<p>Before leaving.</p><ul><li>Look it up</li><li>Wait</li></ul>
<div class="mw-heading mw-heading3"><h3 id="Error">Error</h3></div><p>Wind.</p>
<h2><span class="mw-headline" id="Notes">Notes</span><span class="mw-editsection">[edit]</span></h2><div class="reflist"><ol><li>A book.</li></ol></div>
<div class="navbox">Water</div></div></div>
<div id="catlinks" class="catlinks"><div id="mw-normal-catlinks" class="mw-normal-catlinks"><a href="/wiki/Help:Category">Categories</a>:
<ul><li><a href="/wiki/Category:Tides">Tides</a></li><li><a href="/wiki/Category:Tables">Tables</a></li></ul></div>
<div id="mw-hidden-catlinks"><ul><li>Hidden</li></ul></div></div></div></main>
<footer><ul id="footer-info"><li id="footer-info-lastmod"> This page was last edited on 2 January 2026, at 03:04<span class="anonymous-show">&nbsp;(UTC)</span>.</li></ul></footer></body></html>`,
    data: [
      {
        title: 'Tide table',
        summary: 'A tide table says when the water is high.\nSailors read it, and compute $E=mc^{2}$.',
        infobox: [
          { name: 'Invented', value: '1213' },
          { name: 'Place', value: 'London, at the bridge' },
          { name: 'First use', value: '1 May 1213' },
          { name: 'Where', value: '51.5°N 0.12°W' },
        ],
        sections: [
          { level: 2, title: 'Use', text: 'Before leaving.\nLook it up Wait' },
          { level: 3, title: 'Error', text: 'Wind.' },
          { level: 2, title: 'Notes', text: '' },
        ],
        categories: ['Tides', 'Tables'],
        last_edited: '2026-01-02T03:04:00Z',
      },
    ],
  },
  partial: {
    path: 'wiki/潮汐',
    url: 'https://en.wikipedia.org/wiki/%E6%BD%AE%E6%B1%90',
    page: '<h1 id=firstHeading>潮汐</h1><div class=mw-parser-output></div><li id=footer-info-lastmod>last edited on 2 Brumaire 2026, at 03:04',
    data: [{ title: '潮汐', sections: [], categories: [] }],
  },
  other: '<html><body><h1>Wikimedia Error</h1><p>Too many requests</p></body></html>',
  refused: [
    'wiki',
    'wiki/',
    'wiki/../w',
    'wiki/a//b',
    'wiki/%2e%2e',
    'wiki/a%2Fb',
    'wiki/Special:Random',
    'wiki/a#b',
    'w/x',
  ],
}
