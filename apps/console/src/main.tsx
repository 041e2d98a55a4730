// Starts the console.

import './console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { applyTheme } from './common/theme.ts';
import { router } from './router.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

// Dialogs and menus add a style element of their own, which the server's policy allows only with its nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce) setNonce(nonce);

applyTheme();

/** No page needs it at first. It is loaded at once behind the page, so that a lost server can still be told of. */
const Toaster = lazy(() => import('./ui/toaster.tsx'));

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <RouterProvider router={router} />
        <Suspense>
          <Toaster />
        </Suspense>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
