import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame } from '@pilothouse/bus';
import { createNewsFilter } from './recorded-news.ts';

function frame(image: string, { title = 'Shop', url = 'http://shop.test/', isPrivate = false } = {}): Frame {
  // Only these fields are read.
  const header = { page: 'p1', url, title, private: isPrivate } as Frame['header'];
  return { header, image: Buffer.from(image) };
}

describe('a frame is news', () => {
  /** Whether each is news, where every one that is gets recorded. */
  function newsOf(frames: Frame[]): boolean[] {
    const newsIn = createNewsFilter();
    return frames.map((one) => {
      const news = newsIn(one);
      news?.recorded();
      return news !== undefined;
    });
  }

  it('with another picture, or with the same picture of another page', () => {
    const frames = [frame('a'), frame('a'), frame('b'), frame('b', { url: 'http://shop.test/cart' }), frame('a')];
    assert.deepEqual(newsOf(frames), [true, false, true, true, true]);
  });

  it('with the titles that come after its picture, of which there are few', () => {
    const frames = ['', 'Loading', 'Shop', '(1) Shop', 'Shop', '(1) Shop'].map((title) => frame('a', { title }));
    assert.deepEqual(newsOf(frames), [true, true, true, false, false, false]);
  });

  it('once, where a row of them is private, whatever their titles are', () => {
    const frames = [frame('a', { isPrivate: true }), frame('b', { isPrivate: true, title: 'x' }), frame('b')];
    assert.deepEqual(newsOf(frames), [true, false, true]);
  });

  it('again, where it could not be recorded', () => {
    const newsIn = createNewsFilter();
    assert.ok(newsIn(frame('a')));
    assert.ok(newsIn(frame('a')));
  });
});
