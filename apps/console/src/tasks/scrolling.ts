// Whether the timeline is being scrolled: rows that fly past read and decode no pictures, which are as large as the window.

import { createContext, useContext } from 'react';

export const ScrollingContext = createContext(false);

export const useIsScrolling = (): boolean => useContext(ScrollingContext);
